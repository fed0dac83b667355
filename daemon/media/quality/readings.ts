/** What the far ends and the endpoints know of a connection, in one form whatever its protocol. */
import type { DatagramReport, SrtReport } from '../status.ts';

/** Packets are totals since the connection began. Missing is what nobody knows. */
export interface Readings {
  /** Packets that should have come, or that were sent. */
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

/** Without sequence numbers nobody knows what is missing. */
export function datagramReadings({ received, dropped, lost, late, jitterMs }: DatagramReport): Readings {
  const known = { jitterMs, ...(dropped !== undefined && { dropped }) };
  return lost === undefined ? known : { ...known, packets: received - (late ?? 0) + lost, lost };
}

export interface SendingFigures {
  readonly srt?: SrtReport | undefined;
  /** Units left out because the far end was slow. */
  readonly skipped: number;
  /** What waits for it, where there is a queue. */
  readonly queueMs?: number | undefined;
}

export function sendingReadings({ srt, skipped, queueMs }: SendingFigures): Readings {
  if (srt) return srtReadings(srt);
  return { dropped: skipped, ...(queueMs !== undefined && { bufferMs: queueMs }) };
}
