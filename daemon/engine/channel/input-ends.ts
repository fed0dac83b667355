/** Terminations common to inputs of all protocols. */
import { connectionStates } from '../../contract/streams.ts';
import type { Termination } from '../connection/connection.ts';

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
