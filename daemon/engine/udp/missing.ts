import { connectionStates } from '../../contract/streams.ts';
import type { Termination } from '../connection/connection.ts';

export const endpointMissing: Termination = {
  conn: connectionStates.creationFailed,
  reason: 'partMissing',
  permanent: false,
  text: 'the UDP endpoint is not running',
};
