/** Constants of the RTMP 1.0 specification for both directions. */

export const messageTypeId = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAckSize: 5,
  setPeerBandwidth: 6,
  audio: 8,
  video: 9,
  dataAmf3: 15,
  commandAmf3: 17,
  data: 18,
  command: 20,
  aggregate: 22,
} as const;

export const userControlEvent = {
  streamBegin: 0,
  setBufferLength: 3,
  pingRequest: 6,
  pingResponse: 7,
} as const;

export const defaultChunkBytes = 128;
/** Our send chunk size: large enough that most frames need no second chunk header. Every known peer accepts it. */
export const outgoingChunkBytes = 65_536;
export const windowAckBytes = 5_000_000;
export const defaultRtmpPort = 1935;
export const defaultRtmpsPort = 443;

/** The peer violated the protocol or a limit. The connection ends, and the text is logged as the reason. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
