/** Fills a channel's FLV bus from its TS bus while FLV can carry the codecs. */
import type { FlvBus } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { followSupport, type OnSupport, type RemuxRun, tsCodecSupport } from './codec-support.ts';
import { TsToFlv } from './ts-to-flv.ts';

export function startTsToFlv(from: TsBus, to: FlvBus, onSupport: OnSupport): RemuxRun {
  let tables: Uint8Array | undefined;
  let sink: FlvBusSink | undefined;
  let converter: TsToFlv | undefined;
  let hasPicture = false;

  const judge = followSupport(onSupport, { begin, end });

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
