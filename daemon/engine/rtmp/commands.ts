/** Commands (RTMP 1.0, section 7.2): parses received ones and builds ours. */
import { type AmfObject, type AmfValue, decodeAmf, encodeAmf, isAmfObject } from '../flv/amf0.ts';
import { encodeMessages } from './chunk-writer.ts';
import { messageTypeId, ProtocolError } from './protocol.ts';

export interface Command {
  readonly name: string;
  readonly transaction: number;
  /** The command object; empty if there is none. */
  readonly object: AmfObject;
  /** Values after the command object. */
  readonly args: readonly AmfValue[];
}

export type StatusLevel = 'status' | 'error' | 'warning';

const noObject: AmfObject = Object.freeze({});

/** Throws ProtocolError or AmfError. An AMF3 command is AMF0 after a zero byte, unless a value is marked as AMF3. */
export function parseCommand(type: number, payload: Uint8Array): Command {
  const [name, transaction, object, ...args] = decodeAmf(
    type === messageTypeId.commandAmf3 ? payload.subarray(1) : payload,
  );
  if (typeof name !== 'string') throw new ProtocolError('command without a name');
  return {
    name,
    transaction: typeof transaction === 'number' ? transaction : 0,
    object: isAmfObject(object) ? object : noObject,
    args,
  };
}

export function commandMessage(streamId: number, ...values: readonly AmfValue[]): Uint8Array {
  return encodeMessages([{ type: messageTypeId.command, timestamp: 0, payload: encodeAmf(...values) }], streamId);
}

export function resultMessage(transaction: number, ...values: readonly AmfValue[]): Uint8Array {
  return commandMessage(0, '_result', transaction, ...values);
}

export function errorMessage(transaction: number, code: string, description: string): Uint8Array {
  return commandMessage(0, '_error', transaction, null, { level: 'error', code, description });
}

export function statusMessage(streamId: number, level: StatusLevel, code: string, description: string): Uint8Array {
  return commandMessage(streamId, 'onStatus', 0, null, { level, code, description });
}

/** Reads a peer's info object, shortened and cleaned for logs. */
export function readInfo(value: AmfValue): { level: string; code: string; description: string } {
  const info = isAmfObject(value) ? value : noObject;
  return { level: cleanText(info.level), code: cleanText(info.code), description: cleanText(info.description) };
}

/** Returns printable text of limited length from any value that a peer sent. */
export function cleanText(value: AmfValue, maxLength = 200): string {
  if (typeof value !== 'string') return '';
  return value.replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ').slice(0, maxLength);
}
