/** An NDI source on the network, provided by us: passes the channel's transport stream to the runtime. */
import { connectionStates } from '../../contract/streams.ts';
import type { NdiStream } from '../../sources/stream-address.ts';
import type { Cursor } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import type { TsUnit } from '../mpegts/ts-bus.ts';
import { ndiMissing } from './missing.ts';
import type { NdiPort, NdiSender } from './port.ts';

export function openNdiOutput(ndi: NdiPort, target: NdiStream, channel: Channel, events: AttemptEvents): Attempt {
  let [bytes, skipped, isOver] = [0, 0, false];
  let sender: NdiSender | undefined;
  let cursor: Cursor<TsUnit> | undefined;

  function close(): void {
    isOver = true;
    cursor?.close();
    sender?.close();
  }
  function finish(end: Termination): void {
    if (isOver) return;
    close();
    events.ended(end);
  }
  function hand(data: Uint8Array): void {
    if (sender?.write(data)) bytes += data.length;
    else skipped++;
  }
  function pump(): void {
    for (let unit = cursor?.take(); unit && !isOver; unit = cursor?.take()) {
      if (cursor?.jumped) hand(channel.ts.tables);
      hand(unit.data);
    }
  }

  const runtime = ndi.runtime();
  if (runtime) {
    sender = runtime.send({
      target,
      onConnected() {
        if (isOver) return;
        events.connected();
        cursor = channel.ts.ring.subscribe(pump);
        pump();
      },
      onFailed: (error) => finish(failed(error)),
    });
  } else {
    finish(ndiMissing(ndi));
  }
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

function failed(error: unknown): Termination {
  const text = `NDI: ${error instanceof Error ? error.message : 'the sender failed'}`;
  return { conn: connectionStates.creationFailed, reason: 'internal', permanent: false, text };
}
