/** Finds audio frames, which carry their own length, in payloads that may split them anywhere. */

export interface FrameSyntax {
  /** Bytes needed to read a length. */
  readonly headerBytes: number;
  /** Returns the length of the frame that begins at `at`, or 0 if there is no header. */
  lengthAt(bytes: Uint8Array, at: number): number;
  /** Whether a header may begin at `at`. Needs only the first two bytes. */
  mayBegin(bytes: Uint8Array, at: number): boolean;
}

export class FrameReader {
  private rest = Buffer.alloc(0);
  /** Whether a frame has just ended, so the next must begin here. Otherwise a sync word may be ordinary data. */
  private isLocked = false;
  private readonly syntax: FrameSyntax;
  private readonly onFrame: (frame: Uint8Array, beganHere: boolean) => void;

  /** `onFrame` gets a view. `beganHere`: the frame began in the current payload, not in an earlier one. */
  constructor(syntax: FrameSyntax, onFrame: (frame: Uint8Array, beganHere: boolean) => void) {
    this.syntax = syntax;
    this.onFrame = onFrame;
  }

  /** Discards the frame in progress, because bytes are missing. */
  reset(): void {
    this.rest = Buffer.alloc(0);
    this.isLocked = false;
  }

  feed(payload: Uint8Array): void {
    const { syntax } = this;
    const kept = this.rest.length;
    const bytes = kept > 0 ? Buffer.concat([this.rest, payload]) : payload;
    let at = 0;
    while (at + syntax.headerBytes <= bytes.length) {
      const length = syntax.lengthAt(bytes, at);
      const end = at + length;
      const isFollowed = end + 1 >= bytes.length || syntax.mayBegin(bytes, end);
      if (length === 0 || (!this.isLocked && !isFollowed)) {
        this.isLocked = false;
        at++;
        continue;
      }
      if (end > bytes.length) break;
      this.isLocked = true;
      this.onFrame(bytes.subarray(at, end), at >= kept);
      at = end;
    }
    this.rest = Buffer.from(bytes.subarray(at));
  }
}
