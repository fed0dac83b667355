/** Program and track selection of an input, and its buffer duration. */
import * as z from 'zod/mini';
import { OptionalBuffer } from '../../../../../daemon/contract/rules.ts';
import { TsSelection } from '../../../../../daemon/contract/stream-fields.ts';
import { numberOf, type SourceProtocol, type SourceValues } from '../source-values.ts';

/** Whether an input of this protocol can select part of the received stream. */
export function isTransportStream(protocol: SourceProtocol): boolean {
  return protocol === 'srt' || protocol === 'udp' || protocol === 'rtp' || protocol === 'http';
}

/** Whether buffering is optional for an input of this protocol. */
export function isHeldByChoice(protocol: SourceProtocol): boolean {
  return protocol === 'udp' || protocol === 'rtp' || protocol === 'rtmp' || protocol === 'ndi';
}

export const choiceFields = { program: 'tsProgram', 'audio-track': 'tsAudioTrack' } as const;
export const heldFields = { 'buffer-duration': 'heldFor' } as const;

export const InputOptions = z.extend(TsSelection, { 'buffer-duration': z.optional(OptionalBuffer) });

export function optionsOf({ protocol, tsProgram, tsAudioTrack, heldFor }: SourceValues) {
  return {
    ...(isTransportStream(protocol) && {
      program: numberOf(tsProgram.trim() || '0'),
      'audio-track': numberOf(tsAudioTrack.trim() || '0'),
    }),
    ...(isHeldByChoice(protocol) && { 'buffer-duration': numberOf(heldFor.trim() || '0') }),
  };
}
