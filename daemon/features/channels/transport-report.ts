/** Maps the engine's statistics of a connection to the names of the contract. Pure. */
import type { Quality, TransportReport } from '../../contract/channels.ts';
import type {
  ConnectionQuality,
  ConnectionStatus,
  QualityFigure,
  QualityHistory,
} from '../../media/protocol/reported.ts';

const words = {
  lossPercent: 'loss-percent',
  lost: 'pkt-loss',
  retransmitted: 'pkt-retrans',
  dropped: 'pkt-drop',
  ccErrors: 'cc-errors',
  rttMs: 'rtt-ms',
  jitterMs: 'jitter-ms',
  bufferMs: 'buffer-ms',
} as const satisfies Record<QualityFigure, keyof TransportReport & keyof Quality>;

type Measured = Pick<ConnectionStatus, 'srt' | 'datagrams' | 'quality'>;

export function hasReport({ srt, datagrams, quality }: Measured): boolean {
  return srt !== undefined || datagrams !== undefined || quality !== undefined;
}

export function viewReport({ srt, datagrams, quality = {} }: Measured): TransportReport {
  return {
    ...renamed(quality),
    ...(srt && {
      'pkt-drop-total': srt.dropped,
      'pkt-loss-total': srt.lost,
      'pkt-retrans-total': srt.retransmitted,
      'rtt-ms': srt.rttMs,
      'buffer-ms': srt.bufferMs,
    }),
    ...(datagrams && {
      'pkt-recv-total': datagrams.received,
      ...(datagrams.dropped !== undefined && { 'pkt-drop-total': datagrams.dropped }),
      ...(datagrams.refused !== undefined && { 'pkt-refused-total': datagrams.refused }),
      ...(datagrams.lost !== undefined && { 'pkt-loss-total': datagrams.lost }),
      ...(datagrams.reordered !== undefined && { 'pkt-reorder-total': datagrams.reordered }),
      ...(datagrams.late !== undefined && { 'pkt-late-total': datagrams.late }),
      'jitter-ms': datagrams.jitterMs,
    }),
  };
}

/** Undefined history: the connection has no statistics, or the engine does not respond. */
export function qualityToWire(history: QualityHistory | undefined, now: number): Quality {
  if (!history) return { 'step-s': 1, end: now, connected: [] };
  const { stepSeconds, end, connected, figures } = history;
  const series = Object.entries(figures).map(([figure, values]) => [words[figure as QualityFigure], [...values]]);
  return { 'step-s': stepSeconds, end, connected: [...connected], ...Object.fromEntries(series) };
}

function renamed(quality: ConnectionQuality): TransportReport {
  return Object.fromEntries(Object.entries(quality).map(([name, value]) => [words[name as QualityFigure], value]));
}
