/** Units of an FLV bus as chunked bytes: made on first use, kept with the unit, shared by all players and pushes. */
import { type FlvHeaders, type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { ToldHeaders } from '../flv/told-headers.ts';
import { encodeAmf } from './amf0.ts';
import { encodeMessages } from './chunk-writer.ts';

/** Players are always given message stream 1. */
export const playStreamId = 1;

const setDataFrame = encodeAmf('@setDataFrame');

export function playWire(unit: FlvUnit): Uint8Array {
  unit.wire ??= encodeMessages(unit.messages, playStreamId);
  return unit.wire;
}

/** A push names its metadata for storing (`@setDataFrame`) and must use the stream id its server chose. */
export function pushWire(unit: FlvUnit, streamId: number): Uint8Array {
  if (streamId === playStreamId && !unit.messages.some(isData)) return playWire(unit);
  unit.pushWires ??= new Map();
  const known = unit.pushWires.get(streamId);
  if (known) return known;
  const wire = encodeMessages(unit.messages.map(asPublished), streamId);
  unit.pushWires.set(streamId, wire);
  return wire;
}

/** What a decoder must know before the unit that follows, stamped with that unit's time; metadata has none. */
export function headerMessages(headers: FlvHeaders, timestamp: number): FlvMessage[] {
  const { metadata, video, audio, tracks = [] } = headers;
  const configurations = [video, audio, ...tracks].filter((message) => message !== undefined);
  return [...(metadata ? [metadata] : []), ...configurations.map((message) => ({ ...message, timestamp }))];
}

/** The unit without the headers and metadata that the other end has already. */
export function withoutTold(unit: FlvUnit, told: ToldHeaders): FlvUnit {
  // Nearly every unit, for every player.
  if (!unit.announced && !unit.unannounced) return unit;
  const { announced = [], unannounced = [] } = unit;
  for (const type of unannounced) told.forget(type);
  const known = new Set(announced.filter((message) => told.tell(message)));
  if (known.size === 0) return unit;
  const { bytes, entryPoint } = unit;
  const rest = () => ({ bytes, entryPoint, messages: unit.messages.filter((message) => !known.has(message)) });
  if (known.size < announced.length) return rest();
  unit.media ??= rest();
  return unit.media;
}

/** The unit with the headers it needs in front, for a player or push that starts or resumes with it. */
export function withHeaders(unit: FlvUnit, latest: FlvHeaders, told = new ToldHeaders()): FlvUnit {
  const timestamp = unit.messages[0]?.timestamp ?? 0;
  const headers = headerMessages(unit.headers ?? latest, timestamp).filter((message) => !told.tell(message));
  const messages = [...headers, ...withoutTold(unit, told).messages];
  return { bytes: unit.bytes, entryPoint: unit.entryPoint, messages };
}

function isData(message: FlvMessage): boolean {
  return message.type === messageType.data;
}

function asPublished(message: FlvMessage): FlvMessage {
  return isData(message) ? { ...message, payload: Buffer.concat([setDataFrame, message.payload]) } : message;
}
