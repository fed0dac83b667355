/** An NDI source on the network, provided by us: passes the channel's transport stream to the runtime. */
import type { NdiStream } from '../../sources/stream-address.ts';
import type { Cursor } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { endOfFetch } from '../connection/fetch-failure.ts';
import type { TsUnit } from '../mpegts/ts-bus.ts';
import type { NdiPort, NdiSender } from './port.ts';

export function openNdiOutput(ndi: NdiPort, target: NdiStream, channel: Channel, events: AttemptEvents): Attempt {
  let [bytes, skipped] = [0, 0];
  let cursor: Cursor<TsUnit> | undefined;
  let sender: NdiSender | undefined;
  sender = ndi.runtime()?.send({
    target,
    onConnected() {
      events.connected();
      cursor = channel.ts.ring.subscribe(pump);
      pump();
    },
    onFailed(error) {
      close();
      events.ended(endOfFetch(error));
    },
  });

  function close(): void {
    cursor?.close();
    cursor = undefined;
    sender?.close();
  }
  function hand(data: Uint8Array): void {
    if (sender?.write(data)) bytes += data.length;
    else skipped++;
  }
  function pump(): void {
    for (let unit = cursor?.take(); unit; unit = cursor?.take()) {
      if (cursor?.jumped) hand(channel.ts.tables);
      hand(unit.data);
    }
  }

  if (!sender) events.ended(ndi.missing());
  return {
    get bytes() {
      return bytes;
    },
    get skipped() {
      return skipped;
    },
    close,
  };
}
