/** Where a connection to another RTMP server failed and whether trying again soon makes sense. */
import { FetchFailure } from '../fetch-failure.ts';
import { LinkError } from './client-link.ts';

/** `address`: the hub may not connect there. */
export type RtmpStage =
  | 'dns'
  | 'address'
  | 'tcp'
  | 'tls'
  | 'handshake'
  | 'connect'
  | 'auth'
  | 'publish'
  | 'play'
  | 'stream';

interface FailureOptions {
  /** Nothing will change by itself: unknown host, refused key or password, untrusted certificate. */
  readonly permanent: boolean;
  /**
   * `refused`: nobody listens there. `timeout`: it was reached, and didn't answer. `stalled`: the connection stands and
   * nothing moves.
   */
  readonly detail?: 'refused' | 'timeout' | 'stalled' | undefined;
  /** Words of the server, which may repeat the key or the password. */
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

/** A shorter secret stands in the middle of ordinary words, and a mask there would tell what it is. */
const shortestMasked = 4;

/** The failure in the words of the server, if it gave any and every secret can be masked in them. */
export function withMaskedQuote({ stage, message, quote, ...options }: RtmpFailure, secrets: readonly string[]) {
  // The longest first: one may be a part of another.
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

/** The server took the connection, and then said nothing more. */
export function noAnswer(stage: RtmpStage): RtmpFailure {
  const isReached = stage !== 'dns' && stage !== 'tcp';
  return new RtmpFailure(stage, 'no answer in time', { permanent: false, ...(isReached && { detail: 'timeout' }) });
}

/** Turns whatever a stage threw into its failure. */
export function toRtmpFailure(stage: RtmpStage, error: unknown): RtmpFailure {
  if (error instanceof RtmpFailure) return error;
  if (error instanceof FetchFailure) {
    const { reason, text, hopeless } = error.end;
    return new RtmpFailure(reason === 'addressNotAllowed' ? 'address' : stage, text, { permanent: hopeless });
  }
  if (error instanceof LinkError) return new RtmpFailure(stage, error.message, { permanent: error.isPermanent });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = tcpTexts[code] ?? (error instanceof Error ? error.message : String(error));
  return new RtmpFailure(stage, text, { permanent: false, ...(code === 'ECONNREFUSED' && { detail: 'refused' }) });
}
