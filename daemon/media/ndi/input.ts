/** An NDI source as an attempt of a fetched input. */

import type { NdiAddress } from '../addresses.ts';
import type { Channel } from '../channel.ts';
import { endOfFetch } from '../fetch-failure.ts';
import { createFetchedInput } from '../fetched-input.ts';
import { stalled } from '../input-ends.ts';
import type { Attempt, AttemptEvents } from '../leg.ts';
import { ndiMissing } from './missing.ts';
import type { NdiPort } from './port.ts';

export function openNdiInput(ndi: NdiPort, source: NdiAddress, channel: Channel, events: AttemptEvents): Attempt {
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
    // Not at once: the caller doesn't have the attempt yet.
    queueMicrotask(() => input.finish(ndiMissing(ndi)));
  }
  return input.attempt;
}
