import { connectionStates } from '../../contract/streams.ts';
import type { LegEnd } from '../leg.ts';
import type { NdiPort } from './port.ts';

export function ndiMissing(ndi: NdiPort): LegEnd {
  return {
    conn: connectionStates.creationFailed,
    reason: 'partMissing',
    hopeless: true,
    text: `NDI: ${ndi.whyNot()}`,
  };
}
