/** What the server says to a request (RFC 2326, section 11). */
import { encodeMessage, type RtspHeaders } from '../rtsp/message.ts';

export interface Answer {
  readonly status: keyof typeof reasons;
  readonly headers?: RtspHeaders;
  readonly body?: string;
  /** Runs when the answer is on its way. */
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
/** Those of the standard that a server which only plays doesn't have. */
const otherMethods: ReadonlySet<string> = new Set(['ANNOUNCE', 'RECORD', 'REDIRECT']);

export const isOfOthers = (method: string): boolean => otherMethods.has(method);

/** `number`: that of the request. */
export function encodeAnswer(number: string, { status, headers, body }: Answer): Buffer {
  return encodeMessage(
    `RTSP/1.0 ${status} ${reasons[status]}`,
    { CSeq: number, Server: 'Signalbox', ...headers },
    body,
  );
}
