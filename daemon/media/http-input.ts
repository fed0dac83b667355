/** A stream fetched over HTTP (transport stream, or HLS), as an attempt of a fetched input. */
import type { Channel } from './channel.ts';
import type { Publisher } from './channel-input.ts';
import { endOfFetch, hostOf } from './fetch-failure.ts';
import { pullHttp } from './http-pull/pull.ts';
import { noSync, occupied, stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import { createTsPacer } from './mpegts/pacer.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import type { HttpPullAddress, LegReason } from './protocol.ts';
import { readSps } from './read-sps.ts';

export function openHttpInput(source: HttpPullAddress, channel: Channel, events: AttemptEvents): Attempt {
  const sink = createTsSink(channel.ts, readSps);
  const aborter = new AbortController();
  let kind: 'ts' | 'hls' = 'ts';
  let isOver = false;
  const over = (reason: LegReason) => {
    isOver = true;
    aborter.abort();
    pacer.close();
    channel.endPublish(publisher, reason);
  };
  const finish = (end: LegEnd) => {
    if (isOver) return;
    over(end.reason);
    events.ended(end);
  };
  const emit = (bytes: Uint8Array) => {
    if (channel.input.current !== publisher && channel.beginPublish(publisher)) {
      finish(occupied);
      return;
    }
    sink.write(bytes);
    sink.flush();
    if (sink.isOutOfSync) finish(noSync);
  };
  const pacer = createTsPacer({ delayMs: source.bufferMs, emit });
  const publisher: Publisher = {
    protocol: 'http',
    shape: 'ts',
    peer: () => hostOf(source.url),
    bytes: () => sink.bytes,
    media: () => sink.media,
    arrivals: () => sink.arrivals,
    continuityErrors: () => sink.continuityErrors,
    srt: () => undefined,
    // Between two long segments it may be silent for that long; the playlist says when it is over.
    stalled: () => (kind === 'hls' ? channel.endPublish(publisher, 'noData') : finish(stalled)),
    close: () => attempt.close(),
  };
  const attempt = {
    get bytes() {
      return sink.bytes;
    },
    skipped: 0,
    close() {
      if (!isOver) over('switchedOff');
    },
  };
  pullHttp({
    url: source.url,
    username: source.username,
    password: source.password,
    pacer,
    signal: aborter.signal,
    onConnected(found) {
      kind = found;
      if (!isOver) events.connected();
    },
  }).catch((error) => finish(endOfFetch(error)));
  return attempt;
}
