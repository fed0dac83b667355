/** Replies of the server (RFC 2326, section 11). */
import { encodeMessage, type RtspHeaders } from '../rtsp/message.ts';

export interface RtspReply {
  readonly status: keyof typeof reasons;
  readonly headers?: RtspHeaders;
  readonly body?: string;
  /** Runs after the reply has been sent. */
  readonly after?: () => void;
}

const reasons = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  451: 'Parameter Not Understood',
  453: 'Not Enough Bandwidth',
  454: 'Session Not Found',
  455: 'Method Not Valid in This State',
  459: 'Aggregate Operation Not Allowed',
  461: 'Unsupported Transport',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  551: 'Option not supported',
} as const;
export const methods = 'OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, SET_PARAMETER, TEARDOWN';
/** Standard methods that a play-only server does not support. */
export const otherMethods: ReadonlySet<string> = new Set(['ANNOUNCE', 'RECORD', 'REDIRECT']);

/** `number`: the CSeq of the request. */
export function encodeReply(number: string, { status, headers, body }: RtspReply): Buffer {
  return encodeMessage(
    `RTSP/1.0 ${status} ${reasons[status]}`,
    { CSeq: number, Server: 'Signalbox', ...headers },
    body,
  );
}
