/** Takes the stream that another channel of the engine has, in the shape in which it came. */
import type { Channel } from './channel.ts';
import type { InputAttempt, Publisher } from './channel-input.ts';
import { createFlvSink, type FlvBusSink } from './flv/flv-sink.ts';
import type { AttemptEvents } from './leg.ts';
import type { LegReason } from './status.ts';

/** `find`: asked when everything that belongs to one wanted state is there. */
export function openTap(find: () => Channel | undefined, channel: Channel, events: AttemptEvents): InputAttempt {
  let feeder: Channel | undefined;
  let leave: () => void = () => undefined;
  let run: { readonly from: Publisher; readonly bytes: () => number; end(reason: LegReason): void } | undefined;
  let earlierBytes = 0;
  let isOver = false;

  function follow(): void {
    if (!feeder || isOver) return;
    const { current } = feeder.input;
    if (run?.from === current) return;
    halt(feeder.input.status().reason ?? 'noInput');
    if (!current) return;
    const begun = current.shape === 'ts' ? tapTs(feeder, channel) : tapFlv(feeder, channel);
    const publisher = publisherLike(current, begun.bytes);
    if (channel.beginPublish(publisher)) {
      begun.close();
      return;
    }
    events.connected();
    begun.start();
    run = {
      from: current,
      bytes: begun.bytes,
      end(reason) {
        begun.close();
        channel.endPublish(publisher, reason);
      },
    };
  }

  function halt(reason: LegReason): void {
    earlierBytes += run?.bytes() ?? 0;
    run?.end(reason);
    run = undefined;
  }

  queueMicrotask(() => {
    if (isOver) return;
    feeder = find();
    leave = feeder?.watchInput(follow) ?? leave;
    follow();
  });
  return {
    get bytes() {
      return earlierBytes + (run?.bytes() ?? 0);
    },
    skipped: 0,
    upstream: () => feeder?.input.status(),
    close() {
      isOver = true;
      leave();
      halt('switchedOff');
    },
  };
}

interface Flow {
  bytes(): number;
  /** The channel has its publisher: what is held and what comes goes over. */
  start(): void;
  close(): void;
}

function tapTs(feeder: Channel, channel: Channel): Flow {
  let bytes = 0;
  const pump = () => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (channel.ts.tables !== feeder.ts.tables) channel.ts.tables = feeder.ts.tables;
      bytes += unit.bytes;
      // One and the same bytes for all channels.
      channel.ts.ring.push(unit);
    }
    channel.ts.ring.notify();
  };
  const cursor = feeder.ts.ring.subscribe(() => hasStarted && pump());
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

function tapFlv(feeder: Channel, channel: Channel): Flow {
  let sink: FlvBusSink | undefined;
  const pump = () => {
    if (!sink) return;
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (cursor.jumped) {
        const { metadata, video, audio, tracks = [] } = unit.headers ?? feeder.flv.headers;
        for (const header of [metadata, video, audio, ...tracks]) if (header) sink.message(header);
      }
      for (const message of unit.messages) sink.message(message);
    }
    sink.flush();
  };
  const cursor = feeder.flv.ring.subscribe(pump);
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

/** What the feeder's publisher says holds for the channel; it isn't ours to close. */
function publisherLike(from: Publisher, bytes: () => number): Publisher {
  return {
    protocol: from.protocol,
    shape: from.shape,
    peer: () => from.peer(),
    bytes,
    media: () => from.media(),
    continuityErrors: () => from.continuityErrors(),
    srt: () => from.srt(),
    ...(from.datagrams && { datagrams: () => from.datagrams?.() }),
    ...(from.bufferMs && { bufferMs: () => from.bufferMs?.() ?? 0 }),
    ...(from.arrivals && { arrivals: () => from.arrivals?.() }),
    lacks: () => from.lacks?.(),
    stalled: () => undefined,
    close: () => undefined,
  };
}
