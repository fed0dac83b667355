/** Where each input currently runs. The hub connects an input only for the channels that use it. Pure. */

import type { Channel, ChannelInput } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';

export interface InputUse {
  /** The channel whose main or backup input it is. */
  readonly channel: Channel;
  readonly input: ChannelInput;
  /** Whether the channel's picture is that of the input. */
  readonly isOnAir: boolean;
}

/** By the id of the input; a use that delivers data is preferred, then one whose picture can be shown. */
export function usesOfInputs(channels: readonly Channel[]): Map<number, InputUse> {
  const uses = new Map<number, InputUse>();
  for (const channel of channels) {
    const { failover } = channel;
    for (const input of failover ? [failover.main, failover.backup] : [channel.input]) {
      if (input.id === 0) continue;
      const isShown = isOnAir(channel.state) && channel.input.role === input.role;
      const use = { channel, input, isOnAir: isShown };
      if (rank(use) > rank(uses.get(input.id))) uses.set(input.id, use);
    }
  }
  return uses;
}

function rank(use: InputUse | undefined): number {
  if (use === undefined) return 0;
  return 1 + (use.channel.config.enable ? 1 : 0) + (use.input.kbps > 0 ? 2 : 0) + (use.isOnAir ? 4 : 0);
}
