/** Writes received frames into a file that FFmpeg reads. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { RawAudio, RawVideo } from '../../../daemon/ndi/media/matroska.ts';
import { beginBlock, streamHead } from '../../../daemon/ndi/media/matroska-writer.ts';
import { type AudioFrame, type FrameTaker, type VideoFrame, viewOf } from '../../../native/ndi/receiver.ts';

export interface Recorder extends FrameTaker {
  close(): void;
}

/** Begins with the first picture after the first sound; times are the timecodes. */
export function recordFrames(path: string): Recorder {
  const file = openSync(path, 'w');
  let audio: RawAudio | undefined;
  let zero: bigint | undefined;
  const write = (kind: 'video' | 'audio', timecode: bigint, data: Uint8Array) => {
    if (zero === undefined || timecode < zero) return;
    writeSync(file, beginBlock(kind, Number((timecode - zero) / 1000n), data.length));
    writeSync(file, data);
  };
  return {
    video({ width, height, fourCc, rate, aspect, data, stride, timecode }: VideoFrame): void {
      if (!audio) return;
      const video: RawVideo = { width, height, fourCc, rate, aspect };
      if (zero === undefined) writeSync(file, streamHead(video, audio));
      zero ??= timecode;
      write('video', timecode, viewOf(data, stride * height));
    },
    audio({ sampleRate, channels, samples, data, stride, timecode }: AudioFrame): void {
      audio ??= { sampleRate, channels };
      const planes = new DataView(viewOf(data, stride * channels).buffer);
      const mixed = new Float32Array(samples * channels);
      for (let at = 0; at < mixed.length; at++) {
        mixed[at] = planes.getFloat32((at % channels) * stride + Math.floor(at / channels) * 4, true);
      }
      write('audio', timecode, new Uint8Array(mixed.buffer));
    },
    close: () => closeSync(file),
  };
}
