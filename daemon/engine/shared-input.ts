/** Reads the stream that another channel of the engine has, in its original format. */

import type { ConnectionReason } from '../media/protocol/reported.ts';
import type { Channel } from './channel/channel.ts';
import type { InputAttempt } from './channel/input.ts';
import { type Publisher, sharedPublisher } from './channel/publisher.ts';
import type { AttemptEvents } from './connection/connection.ts';
import { createFlvSink, type FlvBusSink } from './flv/flv-sink.ts';

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
    const flow = current.shape === 'ts' ? shareTs(sourceChannel, channel) : shareFlv(sourceChannel, channel);
    const publisher = sharedPublisher(current, flow.bytes);
    if (channel.beginPublish(publisher)) {
      flow.close();
      return;
    }
    events.connected();
    flow.start();
    run = {
      from: current,
      bytes: flow.bytes,
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

interface Flow {
  bytes(): number;
  /** The channel has its publisher: passes on buffered and new data. */
  start(): void;
  close(): void;
}

function shareTs(sourceChannel: Channel, channel: Channel): Flow {
  let bytes = 0;
  const pump = () => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (channel.ts.tables !== sourceChannel.ts.tables) channel.ts.tables = sourceChannel.ts.tables;
      bytes += unit.bytes;
      // The same bytes are shared by all channels.
      channel.ts.ring.push(unit);
    }
    channel.ts.ring.notify();
  };
  const cursor = sourceChannel.ts.ring.subscribe(() => hasStarted && pump());
  let hasStarted = false;
  return {
    bytes: () => bytes,
    start() {
      hasStarted = true;
      pump();
    },
    close: () => cursor.close(),
  };
}

function shareFlv(sourceChannel: Channel, channel: Channel): Flow {
  let sink: FlvBusSink | undefined;
  const pump = () => {
    if (!sink) return;
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (cursor.jumped) {
        const { metadata, video, audio, tracks = [] } = unit.headers ?? sourceChannel.flv.headers;
        for (const header of [metadata, video, audio, ...tracks]) if (header) sink.message(header);
      }
      for (const message of unit.messages) sink.message(message);
    }
    sink.flush();
  };
  const cursor = sourceChannel.flv.ring.subscribe(pump);
  return {
    bytes: () => sink?.counters.bytes ?? 0,
    start() {
      sink = createFlvSink(channel.flv);
      pump();
    },
    close() {
      cursor.close();
      sink?.close('the input ended');
    },
  };
}
