/** Routing of a publisher's media in the endpoint: directly to the channel's SRT receivers, and to us in batches. */

import type { TsChoice } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { EndpointOperation, SourceName } from './protocol.ts';

/** How long the endpoint gathers packets for us while no frame begins in them: each batch wakes every subscriber. */
const batchMs = 8;
/** The same while only we read the bus, looking for tables, picture size and errors. */
const unreadBatchMs = 100;

export type SrtSource = ReturnType<typeof createSrtSource>;

/** The endpoint passes the whole stream. Channels that only provide it to others have no receivers there. */
export function canBeLinked(channel: Channel, choice: TsChoice | undefined): boolean {
  return channel.config.enabled && choice === undefined;
}

export function createSrtSource(send: (operation: EndpointOperation) => boolean, name: SourceName) {
  let sentMs: number | undefined;
  return {
    /** Call it once this is the channel's publisher: the endpoint holds back its first bytes until then. */
    begin: (channelId: number, isLinked: boolean) =>
      void send(isLinked ? { op: 'link', ...name, feed: channelId } : { op: 'unlink', ...name }),
    /** `hasReaders`: whether the bus that receives its packets has readers. */
    pace(hasReaders: boolean): void {
      const ms = hasReaders ? batchMs : unreadBatchMs;
      if (ms !== sentMs && send({ op: 'batch', ...name, ms, prompt: hasReaders })) sentMs = ms;
    },
  };
}
