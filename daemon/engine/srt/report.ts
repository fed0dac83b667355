/** Statistics of one SRT connection, from libsrt through the endpoint. */
import type { SrtReport } from '../../media/protocol/reported.ts';
import type { ConnectionStatistics } from './protocol.ts';

export function reportOf(figures: ConnectionStatistics | undefined): SrtReport | undefined {
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

/** Packets that were too late, plus received ones that we did not read in time, which are counted in bytes. */
export function droppedOf({ drop, dropped_bytes: unread = 0 }: ConnectionStatistics): number {
  return drop + Math.ceil(unread / packetBytes);
}

/** Abandoned packets were expected, too. */
export function expectedOf({ dir, packets, drop }: ConnectionStatistics): number {
  return dir === 'in' ? packets + drop : packets;
}
