/** A stream pulled over HTTP (transport stream or HLS), as an attempt of a pulled input. */

import type { HttpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { openPulledTs } from '../channel/pulled-input.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { hostOf } from '../connection/fetch-failure.ts';
import { TsPacer } from '../mpegts/pacer.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { pullHttp } from './pull.ts';

export function openHttpInput(
  outgoing: EngineOutgoing,
  source: HttpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  const { url, username, password } = source;
  let kind: 'ts' | 'hls' = 'ts';
  let pacer: TsPacer | undefined;
  return openPulledTs({
    ...{ protocol: 'http', peer: hostOf(url), channel, events, choice: source.ts },
    bufferMs: () => Math.round(pacer?.heldMs ?? 0),
    // HLS may be silent between two long segments; the playlist indicates the end.
    mayRest: () => kind === 'hls',
    pull({ signal, connected, receive: emit }) {
      const buffer = new TsPacer({ delayMs: source.bufferMs, emit });
      pacer = buffer;
      signal.addEventListener('abort', () => buffer.close());
      return pullHttp({
        ...{ url, username, password, outgoing, pacer: buffer, signal },
        onConnected(found) {
          kind = found;
          connected();
        },
      });
    },
  });
}
