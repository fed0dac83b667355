/** TS over UDP sent by the endpoint, unicast or multicast. */

import { lookup } from 'node:dns/promises';
import { isIpv4 } from '../../contract/rules.ts';
import { connectionStates } from '../../contract/streams.ts';
import { timing } from '../../timing.ts';
import type { UdpEndpointAddress } from '../addresses.ts';
import type { Attempt, AttemptEvents, LegEnd } from '../leg.ts';
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

export function createUdpOutputs(send: (operation: UdpOperation) => boolean): UdpOutputs {
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
    const host = await addressOf(target.host);
    if (!entries.has(id)) return;
    const { port, ttl, interface: local, protocol } = target;
    const rtp = protocol === 'rtp';
    if (host === undefined) finish(id, noAddress(target.host));
    else if (!send({ op: 'send', id, feed: channelId, host, port, ttl, interface: local, rtp }))
      finish(id, endpointMissing);
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

/** Undefined when the name has no IPv4 address, or none was found in time. */
async function addressOf(host: string): Promise<string | undefined> {
  if (isIpv4(host)) return host;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), timing.udp.lookupMs);
  });
  try {
    return (await Promise.race([lookup(host, { family: 4 }), timeout])).address;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function noAddress(host: string): LegEnd {
  const text = `the name ${host} has no address`;
  return { conn: connectionStates.dnsFailed, reason: 'dnsFailed', hopeless: true, text };
}

function notOpened({ reason, error }: OutputFailed): LegEnd {
  if (reason === 'unreachable') {
    return { conn: connectionStates.tcpFailed, reason, hopeless: false, text: `no way there: ${error}` };
  }
  const text = `no UDP socket: ${error}`;
  return { conn: connectionStates.creationFailed, reason: 'internal', hopeless: reason !== 'internal', text };
}
