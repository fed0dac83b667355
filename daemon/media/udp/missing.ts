import { connectionStates } from '../../contract/streams.ts';
import type { LegEnd } from '../leg.ts';

export const endpointMissing: LegEnd = {
  conn: connectionStates.creationFailed,
  reason: 'partMissing',
  hopeless: false,
  text: 'the UDP endpoint is not running',
};
