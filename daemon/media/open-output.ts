/** Opens an output by its protocol. */
import type { Channel } from './channel.ts';
import type { Attempt, AttemptEvents } from './leg.ts';
import type { OutputTarget } from './protocol.ts';
import { openRtmpOutput } from './rtmp-output.ts';
import type { SrtDoor } from './srt-door.ts';
import { openUdpOutput } from './udp/output.ts';

export function openOutput(srt: SrtDoor, channel: Channel, target: OutputTarget, events: AttemptEvents): Attempt {
  switch (target.protocol) {
    case 'udp':
      return openUdpOutput(target, channel.ts, events);
    case 'rtmp':
      return openRtmpOutput(target, channel, events);
    case 'srt': {
      let receiver: { gone(): void } | undefined;
      return srt.calls.open({
        channelId: channel.id,
        direction: 'send',
        address: target,
        events,
        onConnected() {
          receiver = channel.srtReceiver();
        },
        onOver: () => receiver?.gone(),
      });
    }
  }
}
