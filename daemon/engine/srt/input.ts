/** An SRT input as an attempt: a call, or a port that the encoder calls. */
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { tsPublisher } from '../channel/publisher.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { noSync, occupied, stalled } from '../connection/terminations.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { SrtAdapter } from './adapter.ts';
import { canBeLinked } from './source.ts';

export function openSrtInput(
  { calls, listeners }: Pick<SrtAdapter, 'calls' | 'listeners'>,
  source: SrtStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  if (source.mode === 'listener') return listeners.open({ channelId: channel.id, address: source, events });
  const sink = createTsSink(channel.ts, source.ts);
  const isLinked = canBeLinked(channel, source.ts);
  let peer = '';
  const giveUp = (end: Termination) => {
    call.close(end.text);
    events.ended(end);
  };
  const call = calls.open({
    ...{ channelId: channel.id, direction: 'receive', address: source, events },
    onBytes(bytes) {
      sink.write(bytes);
      sink.flush();
      if (sink.isOutOfSync) giveUp(noSync);
    },
    onConnected(address) {
      peer = address;
      if (channel.beginPublish(publisher)) giveUp(occupied);
      else call.source.begin(channel.id, isLinked);
    },
    onOver: (reason) => channel.endPublish(publisher, reason),
  });
  const publisher = tsPublisher(sink, {
    protocol: 'srt',
    linkedBy: isLinked ? 'srt' : undefined,
    pace: call.source.pace,
    peer: () => peer,
    srt: () => call.srt,
    stalled: () => giveUp(stalled),
    close: (reason) => call.close(reason),
  });
  return call;
}
