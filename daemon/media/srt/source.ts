/** Where the endpoint takes what a publisher brings: to the channel's SRT receivers by itself, and to us in batches. */

import type { TsChoice } from '../../lib/input-options.ts';
import type { Channel } from '../channel.ts';
import type { EndpointOperation, SourceName } from './protocol.ts';

/** How long the endpoint gathers packets for us while nothing begins in them: every subscriber is woken for each batch. */
const batchMs = 8;
/** While nobody reads the bus but us, who look for tables, picture size and faults. */
const unreadBatchMs = 100;

export interface SrtSource {
  /** To be called once it is the channel's publisher: the endpoint holds its first bytes back until then. */
  begin(channelId: number, isLinked: boolean): void;
  /** Whether somebody reads the bus that its packets go to. */
  pace(hasReaders: boolean): void;
}

/** Within the endpoint everything passes, and what is there for other channels only has no receivers. */
export function canBeLinked(channel: Channel, choice: TsChoice | undefined): boolean {
  return channel.config.enabled && choice === undefined;
}

export function createSrtSource(send: (operation: EndpointOperation) => boolean, name: SourceName): SrtSource {
  let sentMs: number | undefined;
  return {
    begin: (channelId, isLinked) =>
      void send(isLinked ? { op: 'link', ...name, feed: channelId } : { op: 'unlink', ...name }),
    pace(hasReaders) {
      const ms = hasReaders ? batchMs : unreadBatchMs;
      if (ms !== sentMs && send({ op: 'batch', ...name, ms, prompt: hasReaders })) sentMs = ms;
    },
  };
}
