/** TS over UDP sent by the endpoint, unicast or multicast. */

import { connectionStates } from '../../contract/streams.ts';
import type { UdpEndpointAddress } from '../addresses.ts';
import { endOfFetch } from '../fetch-failure.ts';
import type { Attempt, AttemptEvents, LegEnd } from '../leg.ts';
import type { EngineOutgoing } from '../outgoing.ts';
import { endpointMissing } from './missing.ts';
import type { OutputFailed, OutputFigures, UdpEvent, UdpOperation } from './protocol.ts';

export interface UdpOutputs {
  /** `onOver`: the output is over, whoever ended it; called once if it was open. */
  open(channelId: number, target: UdpEndpointAddress, events: AttemptEvents & UdpOutputEvents): Attempt;
  event(event: Extract<UdpEvent, { ev: 'output-open' | 'output-failed' }>): void;
  figures(figures: OutputFigures): void;
  /** The endpoint is gone. */
  endAll(): void;
}

export interface UdpOutputEvents {
  opened(): void;
  over(): void;
}

interface Entry {
  readonly events: AttemptEvents & UdpOutputEvents;
  isOpen: boolean;
  bytes: number;
  lost: number;
}

export function createUdpOutputs(
  send: (operation: UdpOperation) => boolean,
  outgoing: Pick<EngineOutgoing, 'resolve'>,
): UdpOutputs {
  const entries = new Map<number, Entry>();
  let lastId = 0;

  function remove(id: number): Entry | undefined {
    const entry = entries.get(id);
    entries.delete(id);
    if (entry?.isOpen) entry.events.over();
    return entry;
  }

  function finish(id: number, end: LegEnd): void {
    remove(id)?.events.ended(end);
  }

  async function start(id: number, channelId: number, target: UdpEndpointAddress): Promise<void> {
    const { port, ttl, interface: local, protocol } = target;
    const rtp = protocol === 'rtp';
    try {
      const [host] = await outgoing.resolve({ host: target.host, port, family: 4, takesGroups: true });
      if (!entries.has(id)) return;
      const operation = { op: 'send', id, feed: channelId, host, port, ttl, interface: local, rtp } as const;
      if (!send(operation)) finish(id, endpointMissing);
    } catch (error) {
      finish(id, endOfFetch(error));
    }
  }

  return {
    open(channelId, target, events) {
      const id = ++lastId;
      const entry: Entry = { events, isOpen: false, bytes: 0, lost: 0 };
      entries.set(id, entry);
      void start(id, channelId, target);
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
    event(event) {
      const entry = entries.get(event.id);
      if (!entry) return;
      if (event.ev === 'output-failed') finish(event.id, notOpened(event));
      else {
        entry.isOpen = true;
        entry.events.opened();
        entry.events.connected();
      }
    },
    figures({ output, bytes, lost }) {
      const entry = entries.get(output);
      if (!entry) return;
      entry.bytes = bytes;
      entry.lost = lost;
    },
    endAll() {
      for (const id of [...entries.keys()]) finish(id, endpointMissing);
    },
  };
}

function notOpened({ reason, error }: OutputFailed): LegEnd {
  if (reason === 'unreachable') {
    return { conn: connectionStates.tcpFailed, reason, hopeless: false, text: `no way there: ${error}` };
  }
  const text = `no UDP socket: ${error}`;
  return { conn: connectionStates.creationFailed, reason: 'internal', hopeless: reason !== 'internal', text };
}
