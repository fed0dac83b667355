/** TS over UDP sent by the endpoint, unicast or multicast. */

import { isIp, isIpv4 } from '../../contract/rules.ts';
import type { Log } from '../../lib/log.ts';
import type { UdpStream } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { endOfFetch } from '../connection/fetch-failure.ts';
import { endpointMissing, termination } from '../connection/terminations.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import type { OutputFailed, OutputFigures, UdpEvent, UdpOperation } from './protocol.ts';

export type UdpOutputs = ReturnType<typeof createUdpOutputs>;

export interface UdpOutputEvents {
  opened(): void;
  /** Called once, from either side, when an output ends that was open. */
  over(): void;
}

interface Entry {
  readonly channelId: number;
  readonly target: UdpStream;
  readonly events: AttemptEvents & UdpOutputEvents;
  /** Address that it sends to. */
  host: string;
  lookedUpAt: number;
  isOpen: boolean;
  bytes: number;
  lost: number;
  /** Totals before the host name resolved to another address. */
  before: { readonly bytes: number; readonly lost: number };
}

export function createUdpOutputs(
  send: (operation: UdpOperation) => boolean,
  outgoing: Pick<EngineOutgoing, 'resolve'>,
  log: Log,
  now: () => number = performance.now.bind(performance),
) {
  const entries = new Map<number, Entry>();
  let lastId = 0;

  function remove(id: number): Entry | undefined {
    const entry = entries.get(id);
    entries.delete(id);
    if (entry?.isOpen) entry.events.over();
    return entry;
  }

  function finish(id: number, end: Termination): void {
    remove(id)?.events.ended(end);
  }

  /** UDP has no reply that would show which address works. IPv4 comes first: more receivers support only that. */
  async function lookUp(entry: Entry): Promise<readonly string[]> {
    entry.lookedUpAt = now();
    const { host, port } = entry.target;
    const hosts = await outgoing.resolve({ host, port, takesGroups: true });
    return hosts.toSorted((a, b) => Number(isIpv4(b)) - Number(isIpv4(a)));
  }

  function sendTo(id: number, entry: Entry, host: string): void {
    entry.host = host;
    const { port, ttl, interface: own, protocol } = entry.target;
    const rtp = protocol === 'rtp';
    const operation = { op: 'send', id, feed: entry.channelId, host, port, ttl, interface: own, rtp } as const;
    if (!send(operation)) finish(id, endpointMissing('UDP'));
  }

  async function start(id: number, entry: Entry): Promise<void> {
    try {
      const [host] = await lookUp(entry);
      if (host !== undefined && entries.has(id)) sendTo(id, entry, host);
    } catch (error) {
      finish(id, endOfFetch(error));
    }
  }

  /** If the lookup fails, the current address stays. */
  async function follow(id: number, entry: Entry): Promise<void> {
    const hosts: readonly string[] = await lookUp(entry).catch(() => []);
    const [host] = hosts;
    if (host === undefined || !entries.has(id) || hosts.includes(entry.host)) return;
    entry.before = { bytes: entry.bytes, lost: entry.lost };
    sendTo(id, entry, host);
  }

  return {
    get size() {
      return entries.size;
    },
    open(channelId: number, target: UdpStream, events: AttemptEvents & UdpOutputEvents): Attempt {
      const id = ++lastId;
      const before = { bytes: 0, lost: 0 };
      const entry: Entry = { channelId, target, events, host: '', lookedUpAt: 0, isOpen: false, ...before, before };
      entries.set(id, entry);
      void start(id, entry);
      return {
        get bytes() {
          return entry.bytes;
        },
        get skipped() {
          return entry.lost;
        },
        close() {
          if (remove(id)) send({ op: 'stop-send', id });
        },
      };
    },
    event(event: Extract<UdpEvent, { ev: 'output-open' | 'output-failed' }>): void {
      const entry = entries.get(event.id);
      if (!entry) return;
      if (event.ev === 'output-failed') finish(event.id, notOpened(event));
      else if (!entry.isOpen) {
        entry.isOpen = true;
        entry.events.opened();
        entry.events.connected();
      }
    },
    figures({ output, bytes, lost, fault }: OutputFigures): void {
      const entry = entries.get(output);
      if (!entry) return;
      const { host, port } = entry.target;
      if (fault !== undefined) log.warn('datagrams could not be sent and are lost', { host, port, reason: fault });
      entry.bytes = entry.before.bytes + bytes;
      entry.lost = entry.before.lost + lost;
    },
    /** Called once per second. */
    tick(): void {
      for (const [id, entry] of entries) {
        const isDue = entry.isOpen && now() - entry.lookedUpAt >= timing.outgoing.lookupAgainMs;
        if (isDue && !isIp(entry.target.host)) void follow(id, entry);
      }
    },
    /** The endpoint is gone. */
    endAll(): void {
      for (const id of [...entries.keys()]) finish(id, endpointMissing('UDP'));
    },
  };
}

function notOpened({ reason, error }: OutputFailed): Termination {
  if (reason === 'unreachable') {
    return termination('tcpFailed', reason, `no way there: ${error}`);
  }
  const text = `the system sends nothing there: ${error}`;
  return termination('creationFailed', 'internal', text, { permanent: reason !== 'internal' });
}
