/** Ends that inputs of every protocol may come to, and why one brings nothing. */
import { connectionStates } from '../contract/streams.ts';
import type { LegEnd } from './leg.ts';
import type { TsSink } from './mpegts/ts-sink.ts';
import type { LegReason } from './status.ts';

export const occupied: LegEnd = {
  conn: connectionStates.creationFailed,
  reason: 'internal',
  hopeless: false,
  text: 'the channel has another publisher still',
};

export const stalled: LegEnd = {
  conn: connectionStates.disconnected,
  reason: 'stalled',
  hopeless: false,
  text: 'nothing came for 10 s',
};

export const noSync: LegEnd = {
  conn: connectionStates.streamFailed,
  reason: 'noSync',
  hopeless: false,
  text: 'what came is no transport stream',
};

export function lackOf(sink: TsSink): LegReason | undefined {
  return sink.lacksProgramme ? 'noProgramme' : undefined;
}
