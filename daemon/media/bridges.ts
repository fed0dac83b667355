/** The two bridges of a channel: what FFmpeg is told, and how each bus is read and filled. */
import { Bridge, type BridgeOptions, encodingCursor } from './bridge.ts';
import { FlvFileReader, flvFileHeader, flvTags } from './flv/file.ts';
import type { FlvBus, FlvMessage } from './flv/flv-bus.ts';
import { createFlvSink } from './flv/flv-sink.ts';
import type { SpsReader } from './mpegts/stream-facts.ts';
import type { TsBus } from './mpegts/ts-bus.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import { withHeaders } from './rtmp/wire.ts';

export type BridgeSetting = Pick<BridgeOptions, 'id' | 'log' | 'ffmpeg' | 'socketPath' | 'onChange'>;

/**
 * FFmpeg looks at a transport stream for the whole of this time before it writes. The feed begins with the tables and a
 * keyframe, so that a second holds all parameters; started in the middle of a group it would take three.
 */
const probeTs = ['-probesize', '4000000', '-analyzeduration', '1000000'];
const probeFlv = ['-probesize', '1000000', '-analyzeduration', '1000000'];
const copyAll = ['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-flush_packets', '1'];

export function createTsToFlv(setting: BridgeSetting, from: TsBus, to: FlvBus): Bridge {
  return new Bridge({
    ...setting,
    name: 'ts to flv',
    inputArgs: ['-fflags', '+nobuffer', ...probeTs, '-f', 'mpegts'],
    outputArgs: [...copyAll, '-flvflags', 'no_duration_filesize', '-f', 'flv'],
    source: {
      prefix: () => (from.tables.length > 0 ? from.tables : undefined),
      subscribe: (wake) => encodingCursor(from.ring.subscribe(wake), (unit) => unit.data),
    },
    openSink() {
      const sink = createFlvSink(to);
      const reader = new FlvFileReader((message: FlvMessage) => sink.message(message));
      return {
        write(bytes) {
          reader.feed(bytes);
          sink.flush();
        },
        close: () => sink.close('bridge ended'),
      };
    },
  });
}

export function createFlvToTs(setting: BridgeSetting, from: FlvBus, to: TsBus, readSps: SpsReader): Bridge {
  return new Bridge({
    ...setting,
    name: 'flv to ts',
    inputArgs: ['-fflags', '+nobuffer', ...probeFlv, '-f', 'flv'],
    // Timestamps of the FLV bus never jump back: copied, they stay continuous over a restart of the bridge.
    outputArgs: [
      ...['-copyts', ...copyAll, '-muxdelay', '0', '-muxpreload', '0', '-pes_payload_size', '0'],
      ...['-mpegts_flags', '+resend_headers+pat_pmt_at_frames', '-f', 'mpegts'],
    ],
    source: {
      prefix: () => flvPrefix(from),
      subscribe(wake) {
        const cursor = from.ring.subscribe(wake);
        // A bridge that fell behind may have lost a change of headers with the group.
        return encodingCursor(cursor, (unit) =>
          flvTags(cursor.jumped ? withHeaders(unit, from.headers).messages : unit.messages),
        );
      },
    },
    openSink() {
      // A run is a new stream with new tables and counters; receivers resume at its first entry point.
      to.ring.clear();
      to.tables = new Uint8Array(0);
      const sink = createTsSink(to, readSps);
      return {
        write(bytes) {
          sink.write(bytes);
          sink.flush();
          if (sink.isOutOfSync) throw new Error('no transport stream');
        },
        close: () => undefined,
      };
    },
  });
}

/** File header, metadata and sequence headers. */
function flvPrefix(bus: FlvBus): Uint8Array | undefined {
  const { metadata, video, audio } = bus.headers;
  if (!video && !audio) return undefined;
  const messages = [metadata, video, audio].filter((message) => message !== undefined);
  return Buffer.concat([flvFileHeader({ video: video !== undefined, audio: audio !== undefined }), flvTags(messages)]);
}
