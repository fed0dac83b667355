/** Where a push failed and whether trying again soon makes sense. */
import { isIP } from 'node:net';
import { LinkError } from './client-link.ts';

export type PushStage = 'dns' | 'tcp' | 'tls' | 'handshake' | 'connect' | 'auth' | 'publish' | 'stream';

export class PushFailure extends Error {
  override readonly name = 'PushFailure';
  readonly stage: PushStage;
  /** Nothing will change by itself: unknown host, refused key or password, untrusted certificate. */
  readonly permanent: boolean;

  constructor(stage: PushStage, text: string, options: { readonly permanent: boolean }) {
    super(text);
    this.stage = stage;
    this.permanent = options.permanent;
  }
}

const tcpTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no answer',
};

/** Turns whatever a stage threw into its failure. */
export function toPushFailure(stage: PushStage, error: unknown): PushFailure {
  if (error instanceof PushFailure) return error;
  if (error instanceof LinkError) return new PushFailure(stage, error.message, { permanent: error.isPermanent });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (stage === 'dns') {
    const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA' || code === 'DNS_ENOTFOUND';
    return new PushFailure(stage, isUnknown ? 'host name not found' : `name lookup failed (${code || 'unknown'})`, {
      permanent: isUnknown,
    });
  }
  const text = tcpTexts[code] ?? (error instanceof Error ? error.message : String(error));
  return new PushFailure(stage, text, { permanent: false });
}

export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}
