/** What peers and endpoints report about a connection, in the same form for all protocols. */
import type { DatagramReport, SrtReport } from '../../media/protocol/reported.ts';

/** Packets are totals since the start of the connection. Unknown values are absent. */
export interface Readings {
  /** Packets that were expected or sent. */
  readonly packets?: number;
  readonly lost?: number;
  readonly retransmitted?: number;
  readonly dropped?: number;
  readonly ccErrors?: number;
  readonly rttMs?: number;
  readonly jitterMs?: number;
  readonly bufferMs?: number;
}

export function srtReadings({ packets, lost, retransmitted, dropped, rttMs, bufferMs }: SrtReport): Readings {
  return { packets, lost, retransmitted, dropped, rttMs, bufferMs };
}

/** Losses are unknown without sequence numbers. */
export function datagramReadings({ received, dropped, lost, late, jitterMs }: DatagramReport): Readings {
  const known = { jitterMs, ...(dropped !== undefined && { dropped }) };
  return lost === undefined ? known : { ...known, packets: received - (late ?? 0) + lost, lost };
}

export interface SendingFigures {
  readonly srt?: SrtReport | undefined;
  /** Units skipped because the peer was slow. */
  readonly skipped: number;
  /** Backlog of the queue, if there is one. */
  readonly queueMs?: number | undefined;
}

export function sendingReadings({ srt, skipped, queueMs }: SendingFigures): Readings {
  if (srt) return srtReadings(srt);
  return { dropped: skipped, ...(queueMs !== undefined && { bufferMs: queueMs }) };
}
