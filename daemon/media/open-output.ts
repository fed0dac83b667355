/** Opens an output by its protocol. */

import type { OutputTarget } from './addresses.ts';
import type { Channel } from './channel.ts';
import type { Doors } from './doors.ts';
import type { Attempt, AttemptEvents } from './leg.ts';
import { openNdiOutput } from './ndi/output.ts';
import { openRtmpOutput } from './rtmp-output.ts';

export function openOutput(
  doors: Doors,
  channel: Channel,
  outputId: number,
  target: OutputTarget,
  events: AttemptEvents,
): Attempt {
  let receiver: { gone(): void } | undefined;
  switch (target.protocol) {
    case 'udp':
    case 'rtp':
      return doors.udp.outputs.open(channel.id, target, {
        ...events,
        opened() {
          receiver = channel.addReceiver('udp');
        },
        over: () => receiver?.gone(),
      });
    case 'rtmp':
      return openRtmpOutput(doors.outgoing, target, channel, events);
    case 'rtsp':
      return doors.rtsp.open(channel, outputId, target, events);
    case 'ndi':
      return openNdiOutput(doors.ndi, target, channel, events);
    case 'srt':
      if (target.mode === 'listener') {
        return doors.srt.doors.open({ channelId: channel.id, outputId, address: target, events });
      }
      return doors.srt.calls.open({
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
