/** A stream fetched over HTTP (transport stream, or HLS), as an attempt of a fetched input. */

import type { HttpPullAddress } from './addresses.ts';
import type { Channel } from './channel.ts';
import { endOfFetch, hostOf } from './fetch-failure.ts';
import { createFetchedInput } from './fetched-input.ts';
import { pullHttp } from './http-pull/pull.ts';
import { stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents } from './leg.ts';
import { createTsPacer } from './mpegts/pacer.ts';
import type { EngineOutgoing } from './outgoing.ts';

export function openHttpInput(
  outgoing: EngineOutgoing,
  source: HttpPullAddress,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  const { url, username, password } = source;
  let kind: 'ts' | 'hls' = 'ts';
  const input = createFetchedInput({
    ...{ protocol: 'http', peer: hostOf(url), channel, events, choice: source.ts },
    bufferMs: () => Math.round(pacer.heldMs),
    // Between two long segments it may be silent for that long; the playlist says when it is over.
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
