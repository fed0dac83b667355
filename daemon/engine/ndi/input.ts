/** An NDI source as an attempt of a pulled input. */

import type { NdiStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { openPulledTs } from '../channel/pulled-input.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { FetchFailure } from '../connection/fetch-failure.ts';
import type { NdiPort } from './port.ts';

export function openNdiInput(ndi: NdiPort, source: NdiStream, channel: Channel, events: AttemptEvents): Attempt {
  return openPulledTs({
    ...{ protocol: 'ndi', peer: source.name, channel, events },
    async pull({ signal, connected, receive: onBytes }) {
      const runtime = ndi.runtime();
      if (!runtime) throw new FetchFailure(ndi.missing());
      await runtime.receive({ source, signal, onConnected: connected, onBytes });
    },
  });
}
