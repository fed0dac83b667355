/** TS over UDP as an attempt of an output: the endpoint sends what the channel's feed brings it. */
import type { UdpEndpointAddress } from '../../media/protocol/addresses.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import type { UdpOutputs } from './sender.ts';

export function openUdpOutput(
  outputs: Pick<UdpOutputs, 'open'>,
  target: UdpEndpointAddress,
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
