/** Sends the frames of a stream at their times. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SentAudio, SentVideo } from '../../../native/ndi/sender.ts';
import type { RawFrame, RawStreams } from '../media/matroska-reader.ts';
import { Pacer, type PacerTiming } from '../media/pacer.ts';
import { rateOf } from '../media/rate.ts';

interface FrameSource {
  readonly streams: RawStreams;
  next(): Promise<RawFrame | undefined>;
}

interface FrameSink {
  video(frame: SentVideo): void;
  audio(frame: SentAudio): void;
}

/** Frames per second of a stream that does not give a rate. */
const usualRate = 25;
/** Limit of the frames that are read ahead: 13 of 1080p. Beyond it, FFmpeg waits. */
const maxAheadBytes = 56 << 20;
/** A frame that is later than this is dropped, because the frames after it are late, too. */
const skippedMs = 200;
/** A frame that is due later than this is from before a jump of the times, and is left out as well. */
const maxWaitMs = 2000;

/** Resolves at the end of the stream. Rejects if the data is not such a stream. */
export async function sendFrames(source: FrameSource, sink: FrameSink, timing: PacerTiming): Promise<void> {
  const pacer = new Pacer(timing);
  const queue: RawFrame[] = [];
  let aheadBytes = 0;
  let wake = Promise.withResolvers<void>();
  const changed = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  let isOver = false;
  async function readAhead(): Promise<void> {
    for (let frame = await source.next(); frame; frame = await source.next()) {
      pacer.arrived(frame.time, performance.now());
      queue.push(frame);
      aheadBytes += frame.data.length;
      changed();
      while (aheadBytes > maxAheadBytes) await wake.promise;
    }
  }
  const reading = readAhead().finally(() => {
    isOver = true;
    changed();
  });
  // The error is reported after all frames before it have been sent.
  reading.catch(() => undefined);
  for (;;) {
    const frame = queue.shift();
    if (!frame) {
      if (isOver) return reading;
      await wake.promise;
      continue;
    }
    const dueIn = pacer.dueAt(frame.time) - performance.now();
    const isDropped = dueIn <= -skippedMs || dueIn > maxWaitMs;
    if (dueIn > 0 && !isDropped) await delay(dueIn);
    aheadBytes -= frame.data.length;
    changed();
    if (!isDropped) send(frame, source.streams, sink, performance.timeOrigin + pacer.dueAt(frame.time));
  }
}

/** `at`: milliseconds since 1970. */
function send({ kind, data }: RawFrame, { video, audio }: RawStreams, sink: FrameSink, at: number): void {
  const timecode = BigInt(Math.round(at * 10_000));
  if (kind === 'video' && video) {
    const { width, height } = video;
    sink.video({ width, height, rate: rateOf(video.frameNs > 0 ? 1e9 / video.frameNs : usualRate), data, timecode });
  } else if (kind === 'audio' && audio) {
    const { sampleRate, channels } = audio;
    const samples = Math.floor(data.length / (4 * channels));
    sink.audio({ sampleRate, channels, samples, data: planes(data, channels, samples), timecode });
  }
}

function planes(data: Uint8Array<ArrayBuffer>, channels: number, samples: number): Uint8Array<ArrayBuffer> {
  const mixed = new Float32Array(data.buffer, data.byteOffset, samples * channels);
  const apart = new Float32Array(new ArrayBuffer(samples * channels * 4));
  for (let channel = 0; channel < channels; channel++) {
    for (let at = 0; at < samples; at++) apart[channel * samples + at] = mixed[at * channels + channel] ?? 0;
  }
  return new Uint8Array(apart.buffer);
}
