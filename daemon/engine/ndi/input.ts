/** An NDI source as an attempt of a pulled input. */

import type { NdiStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { openPulledTs } from '../channel/pulled-input.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { FetchFailure } from '../connection/fetch-failure.ts';
import { createTsJitterBuffer } from '../mpegts/ts-jitter-buffer.ts';
import type { NdiPort } from './port.ts';

export function openNdiInput(ndi: NdiPort, source: NdiStream, channel: Channel, events: AttemptEvents): Attempt {
  const { bufferMs: delayMs } = source;
  let buffer: ReturnType<typeof createTsJitterBuffer> | undefined;
  return openPulledTs({
    ...{ protocol: 'ndi', peer: source.name, channel, events },
    bufferMs: delayMs ? () => Math.round(buffer?.heldMs ?? 0) : undefined,
    // A source that is gone may come back, and is then received at once.
    mayRest: () => true,
    async pull({ signal, connected, receive }) {
      const runtime = ndi.runtime();
      if (!runtime) throw new FetchFailure(ndi.missing());
      buffer = delayMs ? createTsJitterBuffer({ delayMs, emit: receive }) : undefined;
      const onBytes = (bytes: Uint8Array) => (buffer ? buffer.write(bytes) : receive(bytes));
      await runtime.receive({ source, signal, onConnected: connected, onBytes }).finally(() => buffer?.close());
    },
  });
}
