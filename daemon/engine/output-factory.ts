/** Opens an output by its protocol. */

import type { OutputTarget } from '../sources/stream-address.ts';
import type { Adapters } from './adapters.ts';
import type { Channel } from './channel/channel.ts';
import type { Attempt, AttemptEvents } from './connection/connection.ts';
import { openNdiOutput } from './ndi/output.ts';
import { openRtmpOutput } from './rtmp/output.ts';

export function openOutput(
  adapters: Adapters,
  channel: Channel,
  outputId: number,
  target: OutputTarget,
  events: AttemptEvents,
): Attempt {
  let receiver: { gone(): void } | undefined;
  switch (target.protocol) {
    case 'udp':
    case 'rtp':
      return adapters.udp.outputs.open(channel.id, target, {
        ...events,
        opened() {
          receiver = channel.addReceiver('udp');
        },
        over: () => receiver?.gone(),
      });
    case 'rtmp':
      return openRtmpOutput(adapters.outgoing, target, channel, events);
    case 'rtsp':
      return adapters.rtsp.open(channel, outputId, target, events);
    case 'ndi':
      return openNdiOutput(adapters.ndi, target, channel, events);
    case 'srt':
      if (target.mode === 'listener') {
        return adapters.srt.listeners.open({ channelId: channel.id, outputId, address: target, events });
      }
      return adapters.srt.calls.open({
        channelId: channel.id,
        direction: 'send',
        address: target,
        events,
        onConnected() {
          receiver = channel.addReceiver('srt');
        },
        onOver: () => receiver?.gone(),
      });
  }
}
