/** Fills a channel's TS bus from its FLV bus, as long as the streams are ones we know. */
import type { FlvBus } from '../flv/flv-bus.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { FlvToTs } from './flv-to-ts.ts';
import type { TsMuxer } from './ts-muxer.ts';
import type { OnVerdict, RewrapRun } from './ts-to-flv-run.ts';
import { FlvVerdict, type Verdict } from './verdict.ts';

/** `muxer` outlives the run, so that packets of the next one are counted on. */
export function startFlvToTs(from: FlvBus, to: TsBus, muxer: TsMuxer, onVerdict: OnVerdict): RewrapRun {
  const seen = new FlvVerdict();
  let verdict: Verdict | undefined;
  let isSilent = false;
  let converter: FlvToTs | undefined;
  let isEntry = false;

  function judge(): void {
    const next = seen.current;
    if (next === verdict && seen.leavesOutSound === isSilent) return;
    const isSame = next === verdict;
    verdict = next;
    isSilent = seen.leavesOutSound;
    if (!isSame) converter = undefined;
    onVerdict(next, isSilent);
    if (!isSame && next === 'own') begin();
  }

  function begin(): void {
    // Receivers resume at the first entry point that is ours.
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
      judge();
      if (cursor.jumped) converter?.resume(headers);
      for (const message of unit.messages) converter?.message(message);
      if (converter) push();
    }
    if (converter) to.ring.notify();
  }

  // With all that is held: HLS needs a whole group of pictures before it has anything to show.
  const cursor = from.ring.subscribe(pump, 'oldest');
  pump();
  return {
    close() {
      cursor.close();
      converter?.end();
      push();
      to.ring.notify();
    },
  };
}
