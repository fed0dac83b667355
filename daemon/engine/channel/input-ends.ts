/** Terminations common to inputs of all protocols, and why an input delivers nothing. */
import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { Termination } from '../connection/connection.ts';
import type { TsSink } from '../mpegts/ts-sink.ts';

export const occupied: Termination = {
  conn: connectionStates.creationFailed,
  reason: 'internal',
  permanent: false,
  text: 'the channel has another publisher still',
};

export const stalled: Termination = {
  conn: connectionStates.disconnected,
  reason: 'stalled',
  permanent: false,
  text: 'nothing came for 10 s',
};

export const noSync: Termination = {
  conn: connectionStates.streamFailed,
  reason: 'noSync',
  permanent: false,
  text: 'what came is no transport stream',
};

export function lackOf(sink: TsSink): ConnectionReason | undefined {
  return sink.lacksProgram ? 'noProgram' : undefined;
}
