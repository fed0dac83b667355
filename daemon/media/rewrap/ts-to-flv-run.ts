/** Fills a channel's FLV bus from its TS bus, as long as the streams are ones we know. */
import type { FlvBus } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import type { SpsReader } from '../mpegts/stream-facts.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { TsToFlv } from './ts-to-flv.ts';
import { type Verdict, verdictOnTs } from './verdict.ts';

/** Reads one bus from its newest entry point on until it is closed. */
export interface RewrapRun {
  close(): void;
}
/** `leavesOutSound`: the picture goes alone. */
export type OnVerdict = (verdict: Verdict, leavesOutSound: boolean) => void;

export function startTsToFlv(from: TsBus, to: FlvBus, readSps: SpsReader, onVerdict: OnVerdict): RewrapRun {
  let tables: Uint8Array | undefined;
  let verdict: Verdict | undefined;
  let sink: FlvBusSink | undefined;
  let converter: TsToFlv | undefined;
  let isSilent = false;

  function judge(next: Verdict, leavesOutSound = false): void {
    if (next === verdict && leavesOutSound === isSilent) return;
    const isSame = next === verdict;
    verdict = next;
    isSilent = leavesOutSound;
    if (!isSame) end();
    // Told first: whoever fills the bus now has to stop before we begin.
    onVerdict(next, leavesOutSound);
    if (!isSame && next === 'own') begin();
  }

  function begin(): void {
    const opened = createFlvSink(to);
    sink = opened;
    converter = new TsToFlv(
      {
        message: (message) => opened.message(message),
        undescribedAudio: () => judge('ffmpeg'),
        layer3: () => judge('ffmpeg'),
      },
      readSps,
    );
  }

  function end(): void {
    sink?.close('re-wrapper ended');
    sink = undefined;
    converter = undefined;
  }

  function readTables(): void {
    if (from.tables === tables || from.tables.length === 0) return;
    tables = from.tables;
    const { verdict: next, own, leavesOutSound } = verdictOnTs(streamsInPackets(tables));
    judge(next, leavesOutSound);
    converter?.setStreams(own);
  }

  function pump(): void {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      readTables();
      if (cursor.jumped) converter?.interrupted();
      converter?.write(unit.data);
    }
    sink?.flush();
  }

  const cursor = from.ring.subscribe(pump);
  pump();
  return {
    close() {
      cursor.close();
      end();
    },
  };
}
