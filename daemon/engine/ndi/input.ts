/** An NDI source as an attempt of a pulled input. */

import type { NdiStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { createFetchedInput } from '../channel/fetched-input.ts';
import { stalled } from '../channel/input-ends.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { endOfFetch } from '../connection/fetch-failure.ts';
import { ndiMissing } from './missing.ts';
import type { NdiPort } from './port.ts';

export function openNdiInput(ndi: NdiPort, source: NdiStream, channel: Channel, events: AttemptEvents): Attempt {
  const input = createFetchedInput({
    ...{ protocol: 'ndi', peer: source.name, channel, events },
    stalled: () => input.finish(stalled),
  });
  const runtime = ndi.runtime();
  if (runtime) {
    runtime
      .receive({ source, signal: input.signal, onConnected: input.connected, onBytes: input.receive })
      .then(() => input.finish(stalled))
      .catch((error) => input.finish(endOfFetch(error)));
  } else {
    input.finish(ndiMissing(ndi));
  }
  return input.attempt;
}
