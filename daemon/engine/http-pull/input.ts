/** A stream pulled over HTTP (transport stream or HLS), as an attempt of a pulled input. */

import type { HttpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { createFetchedInput } from '../channel/fetched-input.ts';
import { stalled } from '../channel/input-ends.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { endOfFetch, hostOf } from '../connection/fetch-failure.ts';
import { createTsPacer } from '../mpegts/pacer.ts';
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
  const input = createFetchedInput({
    ...{ protocol: 'http', peer: hostOf(url), channel, events, choice: source.ts },
    bufferMs: () => Math.round(pacer.heldMs),
    // HLS may be silent between two long segments; the playlist indicates the end.
    stalled: () => (kind === 'hls' ? input.rest() : input.finish(stalled)),
  });
  const pacer = createTsPacer({ delayMs: source.bufferMs, emit: input.receive });
  input.signal.addEventListener('abort', () => pacer.close());
  pullHttp({
    ...{ url, username, password, outgoing, pacer, signal: input.signal },
    onConnected(found) {
      kind = found;
      input.connected();
    },
  }).catch((error) => input.finish(endOfFetch(error)));
  return input.attempt;
}
