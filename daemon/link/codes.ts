/** Why links and streams end. Names are for logs and callers; numbers are on the wire. */

/** Close codes of the WebSocket. */
export const linkCodes = {
  /** One side ended the link on purpose, for example because its process stops. */
  closed: 4000,
  /** A cut-off frame, an unknown type, a payload of the wrong length or form. */
  malformed: 4001,
  /** A message, frame or payload over its limit. */
  oversized: 4002,
  /** A frame that is not allowed in this state: HELLO twice, anything before WELCOME, an unknown stream, data after FIN. */
  unexpected: 4003,
  /** Data beyond the credit. */
  creditExceeded: 4004,
  /** Credit beyond the largest window. */
  creditOverflow: 4005,
  /** The peer causes more frames than it reads. */
  flood: 4006,
  /** Nothing arrived for too long. */
  silent: 4007,
  /** A signature is wrong, a pinned key changed, or the two sides see different certificates. */
  identity: 4008,
  /** No common version of the protocol. */
  version: 4009,
  /** A newer link of the same device took its place. */
  replaced: 4010,
  /** The registration state does not allow a link. */
  refused: 4011,
  /** Too many devices connect at once. */
  busy: 4012,
  /** All stream ids of this link are used up. */
  exhausted: 4013,
  /** The connection broke without a close code. Never sent. */
  lost: 4099,
} as const;
export type LinkCode = keyof typeof linkCodes;

/** Payload of RST. */
export const streamCodes = {
  /** The side that sent it has lost interest. */
  cancelled: 1,
  /** The target port refused the connection or broke it. */
  refused: 2,
  /** The target is not on the device's list of ports, or the kind of stream is not served. */
  notPermitted: 3,
  /** Too many streams, or the link is about to end. */
  busy: 4,
  /** No answer in time. */
  timedOut: 5,
  /** No such device. Never sent. */
  unknown: 6,
  /** The device has no link, or the link ended. Never sent. */
  offline: 7,
} as const;
export type StreamCode = keyof typeof streamCodes;

/** A violation of the protocol that ends the link. */
export class LinkFault extends Error {
  readonly code: LinkCode;
  constructor(code: LinkCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Rejects calls of a stream that was reset or could not be opened. */
export class StreamError extends Error {
  readonly code: StreamCode;
  constructor(code: StreamCode) {
    super(`stream ended: ${code}`);
    this.code = code;
  }
}

const namesOf = <Name extends string>(codes: Readonly<Record<Name, number>>) =>
  new Map(Object.entries<number>(codes).map(([name, code]) => [code, name as Name]));
const linkNames = namesOf(linkCodes);
const streamNames = namesOf(streamCodes);

export const linkCodeOf = (closeCode: number): LinkCode => linkNames.get(closeCode) ?? 'lost';
/** A code of a later version counts as `cancelled`. */
export const streamCodeOf = (code: number): StreamCode => streamNames.get(code) ?? 'cancelled';
