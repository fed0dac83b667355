/** Fills a channel's FLV bus from its TS bus while FLV can carry the codecs. */
import type { FlvBus } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { type CodecSupport, tsCodecSupport } from './codec-support.ts';
import { TsToFlv } from './ts-to-flv.ts';

/** Fills one bus from the other until it is closed. */
export interface RemuxRun {
  close(): void;
}
/** `leavesOutSound`: only video is remuxed. */
export type OnSupport = (support: CodecSupport, leavesOutSound: boolean) => void;

export function startTsToFlv(from: TsBus, to: FlvBus, onSupport: OnSupport): RemuxRun {
  let tables: Uint8Array | undefined;
  let support: CodecSupport | undefined;
  let sink: FlvBusSink | undefined;
  let converter: TsToFlv | undefined;
  let isSilent = false;
  let hasPicture = false;

  function judge(next: CodecSupport, leavesOutSound = false): void {
    if (next === support && leavesOutSound === isSilent) return;
    const isSame = next === support;
    support = next;
    isSilent = leavesOutSound;
    if (!isSame) end();
    onSupport(next, leavesOutSound);
    if (!isSame && next === 'possible') begin();
  }

  function begin(): void {
    const opened = createFlvSink(to);
    sink = opened;
    converter = new TsToFlv({
      message: (message) => opened.message(message),
      soundFits: (fits) => judge(fits || hasPicture ? 'possible' : 'impossible', !fits && hasPicture),
    });
  }

  function end(): void {
    sink?.close('remuxer ended');
    sink = undefined;
    converter = undefined;
  }

  function readTables(): void {
    if (from.tables === tables || from.tables.length === 0) return;
    tables = from.tables;
    const { support: next, own, leavesOutSound } = tsCodecSupport(streamsInPackets(tables));
    hasPicture = own.video !== undefined;
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
