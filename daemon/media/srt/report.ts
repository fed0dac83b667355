/** Figures of one SRT connection, from libsrt by way of the endpoint. */
import type { SrtReport } from '../status.ts';
import type { LegStatistics } from './protocol.ts';

export function reportOf(figures: LegStatistics | undefined): SrtReport | undefined {
  if (!figures) return undefined;
  return {
    rttMs: figures.rtt,
    packets: expectedOf(figures),
    lost: figures.loss,
    retransmitted: figures.retrans,
    dropped: droppedOf(figures),
    bufferMs: figures.buffer_ms,
  };
}

const packetBytes = 1316;

/** What was too late, and what came and was not read by us in time, which is counted in bytes. */
export function droppedOf({ drop, dropped_bytes: unread = 0 }: LegStatistics): number {
  return drop + Math.ceil(unread / packetBytes);
}

/** What was given up should have come, too. */
export function expectedOf({ dir, packets, drop }: LegStatistics): number {
  return dir === 'in' ? packets + drop : packets;
}
