import { RequestError } from '../ipc/request-table.ts';
import { HubError } from '../lib/hub-error.ts';
import type { MediaPort } from './port.ts';
import type { EngineReply, EngineRequest } from './protocol/messages.ts';

/** Throws `noResponse` if the engine does not answer. */
export async function askEngine(
  media: Pick<MediaPort, 'request'>,
  request: EngineRequest,
  timeoutMs: number,
): Promise<EngineReply> {
  try {
    return await media.request(request, timeoutMs);
  } catch (error) {
    if (error instanceof RequestError) throw new HubError('noResponse', 'the media engine does not respond');
    throw error;
  }
}
