/** The stage at which a connection to another RTMP server failed, and whether retrying soon makes sense. */
import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { Termination } from '../connection/connection.ts';
import { FetchFailure } from '../connection/fetch-failure.ts';
import { LinkError } from './client-link.ts';

/** What a failure means at each stage. */
const stages = {
  dns: { conn: connectionStates.dnsFailed, reason: 'dnsFailed' },
  /** The hub is not allowed to connect there. */
  address: { conn: connectionStates.creationFailed, reason: 'addressNotAllowed' },
  tcp: { conn: connectionStates.tcpFailed, reason: 'unreachable' },
  tls: { conn: connectionStates.handshakeFailed, reason: 'tlsFailed' },
  handshake: { conn: connectionStates.handshakeFailed, reason: 'handshakeFailed' },
  connect: { conn: connectionStates.refused, reason: 'refused' },
  auth: { conn: connectionStates.authorizationFailed, reason: 'notAuthorized' },
  publish: { conn: connectionStates.streamFailed, reason: 'streamRefused' },
  play: { conn: connectionStates.streamFailed, reason: 'streamRefused' },
  stream: { conn: connectionStates.disconnected, reason: 'closedByPeer' },
} as const satisfies Readonly<Record<string, { conn: number; reason: ConnectionReason }>>;

export type RtmpStage = keyof typeof stages;

interface FailureOptions {
  /** The cause will not go away by itself: unknown host, refused key or password, untrusted certificate. */
  readonly permanent: boolean;
  /**
   * `refused`: nothing listens there. `timeout`: the server was reached but did not answer. `stalled`: connected, but
   * no data moves.
   */
  readonly detail?: 'refused' | 'timeout' | 'stalled' | undefined;
  /** Text from the server, which may repeat the key or the password. */
  readonly quote?: string | undefined;
}

export class RtmpFailure extends Error {
  override readonly name = 'RtmpFailure';
  readonly stage: RtmpStage;
  readonly permanent: boolean;
  readonly detail: FailureOptions['detail'];
  readonly quote: FailureOptions['quote'];

  constructor(stage: RtmpStage, text: string, { permanent, detail, quote }: FailureOptions) {
    super(text);
    this.stage = stage;
    this.permanent = permanent;
    this.detail = detail;
    this.quote = quote;
  }
}

/** Shorter secrets occur within ordinary words, and masking those would reveal the secret. */
const shortestMasked = 4;

/** Returns the failure with the server's text, if it sent any and every secret can be masked in it. */
export function withMaskedQuote({ stage, message, quote, ...options }: RtmpFailure, secrets: readonly string[]) {
  // The longest first, because one may be part of another.
  const given = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  const isShown = quote && given.every(({ length }) => length >= shortestMasked);
  const text = isShown ? given.reduce((masked, secret) => masked.replaceAll(secret, '***'), quote) : message;
  return new RtmpFailure(stage, text, options);
}

const tcpTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no answer',
};

/** The server did not answer in time; from `tls` on, the TCP connection had been accepted. */
export function noResponse(stage: RtmpStage): RtmpFailure {
  const isReached = stage !== 'dns' && stage !== 'tcp';
  return new RtmpFailure(stage, 'no answer in time', { permanent: false, ...(isReached && { detail: 'timeout' }) });
}

/** Converts anything that a stage threw to its failure. */
export function toRtmpFailure(stage: RtmpStage, error: unknown): RtmpFailure {
  if (error instanceof RtmpFailure) return error;
  if (error instanceof FetchFailure) {
    const { reason, text, permanent } = error.end;
    return new RtmpFailure(reason === 'addressNotAllowed' ? 'address' : stage, text, { permanent });
  }
  if (error instanceof LinkError) return new RtmpFailure(stage, error.message, { permanent: error.isPermanent });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = tcpTexts[code] ?? (error instanceof Error ? error.message : String(error));
  return new RtmpFailure(stage, text, { permanent: false, ...(code === 'ECONNREFUSED' && { detail: 'refused' }) });
}

/** If `connect` was not answered, nothing was refused. */
const unanswered: Partial<Readonly<Record<RtmpStage, number>>> = {
  connect: connectionStates.handshakeFailed,
  auth: connectionStates.handshakeFailed,
};

/** Maps the failure of a connection to another RTMP server to a termination. */
export function rtmpTermination({ stage, message, permanent, detail }: RtmpFailure): Termination {
  const { conn: usual, reason } = stages[stage];
  const conn = (detail === 'timeout' ? unanswered[stage] : undefined) ?? usual;
  return { conn, reason: detail ?? reason, permanent, text: `${stage}: ${message}` };
}
