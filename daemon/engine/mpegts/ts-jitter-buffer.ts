/** Jitter buffer for a transport stream, by its own clock. */
import type { AlarmClock } from '../bus/alarm-clock.ts';
import { JitterBuffer } from '../bus/jitter-buffer.ts';
import { ClockCutter } from './clock-cutter.ts';

interface TsJitterBufferOptions {
  readonly delayMs: number;
  readonly emit: (bytes: Uint8Array) => void;
  readonly clock?: AlarmClock;
}

export function createTsJitterBuffer({ delayMs, emit, clock }: TsJitterBufferOptions) {
  let [mediaMs, hasClock] = [0, false];
  const jitterBuffer = new JitterBuffer<Uint8Array>({ delayMs, emit, flush: () => {}, ...(clock && { clock }) });
  const cutter = new ClockCutter({
    piece(bytes) {
      // Before the first PCR nothing can be timed.
      if (hasClock) jitterBuffer.write({ item: bytes, bytes: bytes.length, mediaMs });
      else emit(bytes);
    },
    clock(stepMs) {
      hasClock = true;
      mediaMs += stepMs;
    },
  });
  return {
    /** Copies the bytes. */
    write(bytes: Uint8Array) {
      cutter.write(new Uint8Array(bytes));
      jitterBuffer.run();
    },
    get heldMs() {
      return jitterBuffer.heldMs;
    },
    close: () => jitterBuffer.close(),
  };
}
