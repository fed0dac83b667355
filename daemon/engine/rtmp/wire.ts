/**
 * Units of an FLV bus as chunked bytes. Players and pushes that keep up take the same unit one after the other, so only
 * the bytes of the last unit are kept, and they share them; a late one encodes its units again. Bytes that were kept
 * with every unit would double the memory of a ring, beyond what its limits count.
 */

import { encodeAmf } from '../flv/amf0.ts';
import { type FlvHeaders, type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { SentHeaders } from '../flv/sent-headers.ts';
import { encodeMessages } from './chunk-writer.ts';

/** Players always get message stream 1. */
export const playStreamId = 1;

const setDataFrame = encodeAmf('@setDataFrame');

interface Encoded {
  readonly unit: FlvUnit;
  play?: Uint8Array;
  /** By the message stream id of the remote server. */
  readonly pushes: Map<number, Uint8Array>;
}

let last: Encoded | undefined;

function encodedOf(unit: FlvUnit): Encoded {
  if (last?.unit !== unit) last = { unit, pushes: new Map() };
  return last;
}

export function playWire(unit: FlvUnit): Uint8Array {
  const encoded = encodedOf(unit);
  encoded.play ??= encodeMessages(unit.messages, playStreamId);
  return encoded.play;
}

/** A push prefixes its metadata with `@setDataFrame` and must use the stream id chosen by its server. */
export function pushWire(unit: FlvUnit, streamId: number): Uint8Array {
  if (streamId === playStreamId && !unit.messages.some(isData)) return playWire(unit);
  const { pushes } = encodedOf(unit);
  const known = pushes.get(streamId);
  if (known) return known;
  const wire = encodeMessages(unit.messages.map(asPublished), streamId);
  pushes.set(streamId, wire);
  return wire;
}

/** What a decoder needs before the next unit, with that unit's timestamp; metadata keeps its own. */
function headerMessages(headers: FlvHeaders, timestamp: number): FlvMessage[] {
  const { metadata, video, audio, tracks = [] } = headers;
  const configurations = [video, audio, ...tracks].filter((message) => message !== undefined);
  return [...(metadata ? [metadata] : []), ...configurations.map((message) => ({ ...message, timestamp }))];
}

/** Returns the unit without the headers and metadata that the peer already has. */
export function withoutSent(unit: FlvUnit, sent: SentHeaders): FlvUnit {
  // Applies to nearly every unit, for every player.
  if (!unit.announced && !unit.unannounced) return unit;
  const { announced = [], unannounced = [] } = unit;
  for (const type of unannounced) sent.forget(type);
  const known = new Set(announced.filter((message) => sent.tell(message)));
  if (known.size === 0) return unit;
  const { bytes, entryPoint } = unit;
  const rest = () => ({ bytes, entryPoint, messages: unit.messages.filter((message) => !known.has(message)) });
  if (known.size < announced.length) return rest();
  unit.media ??= rest();
  return unit.media;
}

/** Returns the unit preceded by the headers it needs, for a player or push that starts or resumes with it. */
export function withHeaders(unit: FlvUnit, latest: FlvHeaders, sent = new SentHeaders()): FlvUnit {
  const timestamp = unit.messages[0]?.timestamp ?? 0;
  const headers = headerMessages(unit.headers ?? latest, timestamp).filter((message) => !sent.tell(message));
  const messages = [...headers, ...withoutSent(unit, sent).messages];
  return { bytes: unit.bytes, entryPoint: unit.entryPoint, messages };
}

function isData(message: FlvMessage): boolean {
  return message.type === messageType.data;
}

function asPublished(message: FlvMessage): FlvMessage {
  return isData(message) ? { ...message, payload: Buffer.concat([setDataFrame, message.payload]) } : message;
}
