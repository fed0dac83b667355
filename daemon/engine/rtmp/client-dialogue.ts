/** Commands of a push or pull to a server, and the interpretation of its replies. */
import { randomBytes } from 'node:crypto';
import { methodQuery, parseAuthDemand, respondToQuery } from './adobe-auth.ts';
import { RtmpFailure, type RtmpStage } from './client-failure.ts';
import type { ClientLink } from './client-link.ts';
import { type Command, readInfo } from './commands.ts';
import { type RtmpTarget, tcUrl } from './url.ts';

/** How credentials go into one `connect`. */
export interface ConnectAttempt {
  /** Appended to application name and tcUrl. */
  readonly query: string;
  /** User name and password in tcUrl in plain text, so over RTMPS only. */
  readonly withCredentials: boolean;
}

export const plainAttempt: ConnectAttempt = { query: '', withCredentials: false };

/** Codecs that our stream may carry (enhanced RTMP). Servers without enhanced RTMP ignore the list. */
const fourCcList = ['hvc1', 'av01', 'vp09', 'avc1', 'Opus', 'ac-3', 'ec-3', 'fLaC', 'mp4a'];

export function callConnect(link: ClientLink, target: RtmpTarget, attempt: ConnectAttempt): Promise<Command> {
  return link.call('connect', {
    app: target.app + attempt.query,
    type: 'nonprivate',
    flashVer: 'FMLE/3.0 (compatible; Signalbox)',
    tcUrl: tcUrl(target, attempt) + attempt.query,
    fourCcList,
  });
}

/** Returns how to try again after a refused `connect`, or why not to. */
export function nextTry(
  target: RtmpTarget,
  { code, description }: Status,
  { query, withCredentials }: ConnectAttempt,
): ConnectAttempt | RtmpFailure {
  const demand = parseAuthDemand(description);
  if (demand && !target.username) {
    return new RtmpFailure('auth', 'the server asks for a user name and password', { permanent: true });
  }
  if (demand?.kind === 'method' && !query) return { query: methodQuery(target), withCredentials: false };
  if (demand?.kind === 'challenge' && !query.includes('&response=')) {
    return { query: respondToQuery(target, demand, randomBytes(4).toString('hex')), withCredentials: false };
  }
  if (demand) return new RtmpFailure('auth', 'user name or password refused', { permanent: true });
  const isUnasked = target.username !== '' && !query && !withCredentials;
  if (isUnasked && target.isSecure) return { query: '', withCredentials: true };
  const failure = refusal(withCredentials ? 'auth' : 'connect', { code, description }, { permanent: true });
  return isUnasked ? withNote(failure) : failure;
}

/** Credentials are not sent in plain text to a server that merely refuses the connection. */
function withNote({ stage, message, quote }: RtmpFailure): RtmpFailure {
  const note = '(user name and password were not sent: that needs RTMPS or a challenge)';
  return new RtmpFailure(stage, `${message} ${note}`, { permanent: true, quote: quote && `${quote} ${note}` });
}

interface Status {
  readonly code: string;
  readonly description: string;
}

function refusal(stage: RtmpStage, { code, description }: Status, { permanent }: { permanent: boolean }): RtmpFailure {
  return new RtmpFailure(stage, 'refused', { permanent, quote: [code, description].filter(Boolean).join(': ') });
}

/** Returns `started`, a refusal, or undefined for commands that do not concern publishing. */
export function readPublishStatus({ name, args }: Command): 'started' | RtmpFailure | undefined {
  if (name !== 'onStatus') return undefined;
  const { level, code, description } = readInfo(args[0]);
  if (code === 'NetStream.Publish.Start') return 'started';
  if (level !== 'error') return undefined;
  const permanent = /^NetStream\.(Publish\.(BadName|Denied|Unauthorized)|Authenticate)/.test(code);
  return refusal('publish', { code, description }, { permanent });
}

/** The same for playing. `ended`: the stream is over because its publisher left. */
export function readPlayStatus({ name, args }: Command): 'started' | 'ended' | RtmpFailure | undefined {
  if (name !== 'onStatus') return undefined;
  const { level, code, description } = readInfo(args[0]);
  if (code === 'NetStream.Play.Start') return 'started';
  if (/^NetStream\.Play\.(Stop|Complete|UnpublishNotify)$/.test(code)) return 'ended';
  if (level !== 'error' && !/^NetStream\.Play\.(StreamNotFound|Failed)$/.test(code)) return undefined;
  const isAuth = /Unauthorized|Authenticate|Denied/.test(code);
  // A stream that does not exist yet may start at any time.
  return refusal(isAuth ? 'auth' : 'play', { code, description }, { permanent: isAuth });
}
