/** Jitter buffer for the messages of an RTMP stream, by their timestamps. */
import type { AlarmClock } from '../bus/alarm-clock.ts';
import { JitterBuffer } from '../bus/jitter-buffer.ts';
import { type FlvMessage, messageType } from './flv-bus.ts';
import type { FlvSink } from './flv-sink.ts';
import { parseAudioTag, parseVideoTag } from './tag.ts';

/** A timestamp step beyond this in either direction is a restart of the clock. */
const maxStepMs = 2000;
/** Used as the step at such a restart. */
const unknownStepMs = 40;

export function createFlvJitterBuffer(delayMs: number, sink: FlvSink, clock?: AlarmClock) {
  let mediaMs = 0;
  let last: number | undefined;
  const jitterBuffer = new JitterBuffer<FlvMessage>({
    delayMs,
    emit: (message) => sink.message(message),
    flush: () => sink.flush(),
    ...(clock && { clock }),
  });
  return {
    message(message: FlvMessage) {
      if (isTimed(message)) {
        const step = last === undefined ? 0 : (message.timestamp - last) | 0;
        mediaMs += Math.abs(step) <= maxStepMs ? step : unknownStepMs;
        last = message.timestamp;
      }
      jitterBuffer.write({ item: message, bytes: message.payload.length, mediaMs });
    },
    flush: () => jitterBuffer.run(),
    close(reason: string) {
      jitterBuffer.close();
      sink.close(reason);
    },
    get heldMs() {
      return jitterBuffer.heldMs;
    },
  };
}

/** Only frames are timed: headers and metadata often have timestamp 0. */
function isTimed({ type, payload }: FlvMessage): boolean {
  if (type === messageType.video) return parseVideoTag(payload)?.kind === 'frame';
  return type === messageType.audio && parseAudioTag(payload)?.kind === 'frame';
}
