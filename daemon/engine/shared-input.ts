/** Reads the stream that another channel of the engine has, in its original format. */

import type { ConnectionReason } from '../media/protocol/reported.ts';
import type { Channel } from './channel/channel.ts';
import type { InputAttempt } from './channel/input.ts';
import { type Publisher, sharedPublisher } from './channel/publisher.ts';
import type { AttemptEvents } from './connection/connection.ts';
import type { FlvBus } from './flv/flv-bus.ts';
import { createFlvSink } from './flv/flv-sink.ts';
import type { TsBus } from './mpegts/ts-bus.ts';

export function openSharedInput(
  sourceChannel: Channel | undefined,
  channel: Channel,
  events: AttemptEvents,
): InputAttempt {
  let run: { readonly from: Publisher; readonly bytes: () => number; end(reason: ConnectionReason): void } | undefined;
  let earlierBytes = 0;

  function follow(): void {
    if (!sourceChannel) return;
    const { current } = sourceChannel.input;
    if (run?.from === current) return;
    halt(sourceChannel.input.status().reason ?? 'noInput');
    if (!current) return;
    let flow: Flow | undefined;
    const bytes = () => flow?.bytes() ?? 0;
    const publisher = sharedPublisher(current, bytes);
    if (channel.beginPublish(publisher)) return;
    events.connected();
    flow = current.shape === 'ts' ? shareTs(sourceChannel.ts, channel.ts) : shareFlv(sourceChannel.flv, channel.flv);
    run = {
      from: current,
      bytes,
      end(reason) {
        flow.close();
        channel.endPublish(publisher, reason);
      },
    };
  }

  function halt(reason: ConnectionReason): void {
    earlierBytes += run?.bytes() ?? 0;
    run?.end(reason);
    run = undefined;
  }

  const leave = sourceChannel?.watchInput(follow);
  follow();
  return {
    get bytes() {
      return earlierBytes + (run?.bytes() ?? 0);
    },
    skipped: 0,
    upstream: () => sourceChannel?.input.status(),
    close() {
      leave?.();
      halt('switchedOff');
    },
  };
}

/** Passes on buffered and new data. */
interface Flow {
  bytes(): number;
  close(): void;
}

function shareTs(from: TsBus, to: TsBus): Flow {
  let bytes = 0;
  const pump = () => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (to.tables !== from.tables) to.tables = from.tables;
      bytes += unit.bytes;
      // The same bytes are shared by all channels.
      to.ring.push(unit);
    }
    to.ring.notify();
  };
  const cursor = from.ring.subscribe(pump);
  pump();
  return { bytes: () => bytes, close: () => cursor.close() };
}

function shareFlv(from: FlvBus, to: FlvBus): Flow {
  const sink = createFlvSink(to);
  const pump = () => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (cursor.jumped) {
        const { metadata, video, audio, tracks = [] } = unit.headers ?? from.headers;
        for (const header of [metadata, video, audio, ...tracks]) if (header) sink.message(header);
      }
      for (const message of unit.messages) sink.message(message);
    }
    sink.flush();
  };
  const cursor = from.ring.subscribe(pump);
  pump();
  return {
    bytes: () => sink.counters.bytes,
    close() {
      cursor.close();
      sink.close('the input ended');
    },
  };
}
