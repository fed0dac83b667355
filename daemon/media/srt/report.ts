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
    dropped: figures.drop,
    bufferMs: figures.buffer_ms,
  };
}

/** What was given up should have come, too. */
export function expectedOf({ dir, packets, drop }: LegStatistics): number {
  return dir === 'in' ? packets + drop : packets;
}
