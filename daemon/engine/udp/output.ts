/** TS over UDP as an attempt of an output: the endpoint sends what the channel's feed brings it. */
import type { UdpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import type { UdpOutputs } from './sender.ts';

export function openUdpOutput(
  outputs: Pick<UdpOutputs, 'open'>,
  target: UdpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let leave: (() => void) | undefined;
  return outputs.open(channel.id, target, {
    ...events,
    opened() {
      leave = channel.addReceiver('udp');
    },
    over: () => leave?.(),
  });
}
