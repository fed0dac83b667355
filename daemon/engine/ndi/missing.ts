import { connectionStates } from '../../contract/streams.ts';
import type { Termination } from '../connection/connection.ts';
import type { NdiPort } from './port.ts';

export function ndiMissing(ndi: NdiPort): Termination {
  return {
    conn: connectionStates.creationFailed,
    reason: 'partMissing',
    permanent: true,
    text: `NDI: ${ndi.whyNot()}`,
  };
}
