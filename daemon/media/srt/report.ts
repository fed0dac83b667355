/** Figures of one SRT connection, from libsrt by way of the endpoint. */
import type { SrtReport } from '../protocol.ts';
import type { EndpointEvent } from './protocol.ts';

export type LegFigures = Extract<EndpointEvent, { ev: 'stats' }>['list'][number];

export function reportOf(figures: LegFigures | undefined): SrtReport | undefined {
  if (!figures) return undefined;
  return {
    rttMs: figures.rtt,
    lost: figures.loss,
    retransmitted: figures.retrans,
    dropped: figures.drop,
    bufferMs: figures.buffer_ms,
  };
}
