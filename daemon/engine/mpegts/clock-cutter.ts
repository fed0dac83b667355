/** Cuts a transport stream into pieces, each of which begins at a PCR. */

import { pcrOf, pcrWrapMs } from './clock.ts';
import { packetSize, pidOf, syncByte } from './packet.ts';
import { strideAt } from './packet-aligner.ts';

interface ClockCutterEvents {
  /** Whole packets, if the data is a transport stream. */
  piece(bytes: Uint8Array): void;
  /** Clock advance between the previous piece and the next one; 0 at the first PCR. */
  clock(stepMs: number): void;
}

/** A clock step beyond this is a new clock, not a pause. */
const maxStepMs = 2000;
/** Used as the unknown step from one clock to another. */
const unknownStepMs = 40;
/** After this many PCRs of another PID, the old one is considered gone. */
const strangersBeforeSwitch = 50;

export class ClockCutter {
  private readonly events: ClockCutterEvents;
  private remainder = new Uint8Array(0);
  private stride: number = packetSize;
  private isInStep = false;
  private pid = -1;
  private strangers = 0;
  private last: number | undefined;

  constructor(events: ClockCutterEvents) {
    this.events = events;
  }

  /** Does not copy the buffer, which must not be reused. */
  write(input: Uint8Array): void {
    const data = this.remainder.length > 0 ? Buffer.concat([this.remainder, input]) : input;
    let from = 0;
    let at = 0;
    while (at + this.stride <= data.length) {
      if (!this.isInStep) {
        const stride = strideAt(data, at);
        this.isInStep = stride !== 0;
        if (stride > 0) this.stride = stride;
      }
      if (!this.isInStep || data[at] !== syncByte) {
        // Damage is left as it is: the sink finds the packets and counts the bytes between them.
        this.isInStep = false;
        at++;
        continue;
      }
      const pcr = pcrOf(data, at);
      if (pcr !== undefined && this.isClockOf(pidOf(data, at))) {
        if (at > from) this.events.piece(data.subarray(from, at));
        from = at;
        this.advance(pcr);
      }
      at += this.stride;
    }
    if (at > from) this.events.piece(data.subarray(from, at));
    this.remainder = new Uint8Array(data.subarray(at));
  }

  private isClockOf(pid: number): boolean {
    if (pid !== this.pid && this.pid >= 0 && ++this.strangers < strangersBeforeSwitch) return false;
    this.pid = pid;
    this.strangers = 0;
    return true;
  }

  private advance(pcr: number): void {
    const step = this.last === undefined ? 0 : (((pcr - this.last) % pcrWrapMs) + pcrWrapMs) % pcrWrapMs;
    this.last = pcr;
    this.events.clock(step <= maxStepMs ? step : unknownStepMs);
  }
}
