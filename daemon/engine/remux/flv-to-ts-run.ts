/** Fills a channel's TS bus from its FLV bus while a transport stream can carry the codecs. */
import type { FlvBus } from '../flv/flv-bus.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { FlvCodecSupport, followSupport, type OnSupport, type RemuxRun } from './codec-support.ts';
import { FlvToTs } from './flv-to-ts.ts';
import type { TsMuxer } from './ts-muxer.ts';

/** `muxer` outlives the run so that the next run continues its counters. */
export function startFlvToTs(from: FlvBus, to: TsBus, muxer: TsMuxer, onSupport: OnSupport): RemuxRun {
  const seen = new FlvCodecSupport();
  let converter: FlvToTs | undefined;
  let isEntry = false;

  const judge = followSupport(onSupport, {
    begin,
    end() {
      converter = undefined;
    },
  });

  function begin(): void {
    // Receivers resume at the first random access point of this run.
    to.ring.clear();
    to.tables = new Uint8Array(0);
    converter = new FlvToTs(muxer, {
      cut() {
        push();
        isEntry = true;
      },
      streamsChanged() {
        to.tables = muxer.tables;
      },
    });
    converter.resume(from.headers);
  }

  function push(): void {
    const data = muxer.take();
    if (data) to.ring.push({ data, bytes: data.length, entryPoint: isEntry }, cursor.cameAt);
    isEntry = false;
  }

  function pump(): void {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      const { headers = from.headers } = unit;
      if (cursor.jumped) for (const header of [headers.video, headers.audio]) if (header) seen.see(header);
      for (const message of unit.messages) seen.see(message);
      judge(seen.current, seen.leavesOutSound);
      if (cursor.jumped) converter?.resume(headers);
      for (const message of unit.messages) converter?.message(message);
      if (converter) push();
    }
    if (converter) to.ring.notify();
  }

  // From the oldest unit on: HLS needs a whole group of pictures before it has anything to show.
  const cursor = from.ring.subscribe(pump, 'oldest');
  pump();
  return {
    close() {
      cursor.close();
      converter?.flushSound();
      push();
      to.ring.notify();
    },
  };
}
