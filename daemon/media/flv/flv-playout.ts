/** Evens out how the messages of an RTMP stream come in, by their time stamps. */
import type { AlarmClock } from '../alarm-clock.ts';
import { Playout } from '../playout.ts';
import { type FlvMessage, messageType } from './flv-bus.ts';
import type { FlvSink } from './flv-sink.ts';
import { parseAudioTag, parseVideoTag } from './tag.ts';

export interface FlvPlayout extends FlvSink {
  readonly heldMs: number;
}

/** A step of the time stamps beyond this, either way, is a new beginning. */
const maxStepMs = 2000;
/** Stands in for it. */
const unknownStepMs = 40;

export function createFlvPlayout(delayMs: number, sink: FlvSink, clock?: AlarmClock): FlvPlayout {
  let mediaMs = 0;
  let last: number | undefined;
  const playout = new Playout<FlvMessage>({
    delayMs,
    emit: (message) => sink.message(message),
    flush: () => sink.flush(),
    ...(clock && { clock }),
  });
  return {
    message(message) {
      if (isTimed(message)) {
        const step = last === undefined ? 0 : (message.timestamp - last) | 0;
        mediaMs += Math.abs(step) <= maxStepMs ? step : unknownStepMs;
        last = message.timestamp;
      }
      playout.write({ item: message, bytes: message.payload.length, mediaMs });
    },
    flush: () => playout.run(),
    close(reason) {
      playout.close();
      sink.close(reason);
    },
    get heldMs() {
      return playout.heldMs;
    },
  };
}

/** Descriptions of what follows often have a time stamp of 0. */
function isTimed({ type, payload }: FlvMessage): boolean {
  if (type === messageType.video) return parseVideoTag(payload)?.kind === 'frame';
  return type === messageType.audio && parseAudioTag(payload)?.kind === 'frame';
}
