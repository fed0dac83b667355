/** An SRT output as an attempt: a call, or a port that players call. The endpoint sends what the channel's feed brings it. */
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import type { SrtAdapter } from './adapter.ts';

export function openSrtOutput(
  { calls, listeners }: Pick<SrtAdapter, 'calls' | 'listeners'>,
  target: SrtStream,
  channel: Channel,
  events: AttemptEvents,
  outputId: number,
): Attempt {
  if (target.mode === 'listener') return listeners.open({ channelId: channel.id, outputId, address: target, events });
  let leave: (() => void) | undefined;
  return calls.open({
    ...{ channelId: channel.id, direction: 'send', address: target, events },
    onConnected() {
      leave = channel.addReceiver('srt');
    },
    onOver: () => leave?.(),
  });
}
