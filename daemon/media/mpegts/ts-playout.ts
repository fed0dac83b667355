/** Evens out how a transport stream comes in, by its own clock. */
import type { AlarmClock } from '../alarm-clock.ts';
import { Playout } from '../playout.ts';
import { ClockCutter } from './clock-cutter.ts';

export interface TsPlayout {
  /** Copies. */
  write(bytes: Uint8Array): void;
  readonly heldMs: number;
  close(): void;
}

export interface TsPlayoutOptions {
  readonly delayMs: number;
  readonly emit: (bytes: Uint8Array) => void;
  readonly clock?: AlarmClock;
}

export function createTsPlayout({ delayMs, emit, clock }: TsPlayoutOptions): TsPlayout {
  let [mediaMs, hasClock] = [0, false];
  const playout = new Playout<Uint8Array>({ delayMs, emit, flush: () => {}, ...(clock && { clock }) });
  const cutter = new ClockCutter({
    piece(bytes) {
      // Before the clock is told nothing can be timed.
      if (hasClock) playout.write({ item: bytes, bytes: bytes.length, mediaMs });
      else emit(bytes);
    },
    clock(stepMs) {
      hasClock = true;
      mediaMs += stepMs;
    },
  });
  return {
    write(bytes) {
      cutter.write(new Uint8Array(bytes));
      playout.run();
    },
    get heldMs() {
      return playout.heldMs;
    },
    close: () => playout.close(),
  };
}
