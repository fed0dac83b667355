/**
 * Writes buffers to a socket in order. When the socket is full, it remembers the offset in the current buffer and
 * waits. Nothing is copied, and only small control messages are queued, so a slow peer costs no memory.
 */

/** The part of Bun's socket that is used here. */
export interface WritableSocket {
  /** Returns the bytes accepted; -1 if the socket is closed. */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
}

export interface PeerSocket extends WritableSocket {
  /** Orderly close: data in the kernel is still sent. */
  end(): void;
  /** Reset. */
  terminate(): void;
}

/** Control messages are some tens of bytes. A peer for which this much is queued does not read. */
const maxControlBytes = 64 << 10;

export class Writer {
  /** Bytes that the socket accepted. */
  bytes = 0;
  private readonly socket: WritableSocket;
  private readonly now: () => number;
  /** Returns the next media bytes, if there are any. */
  private source: (() => Uint8Array | undefined) | undefined;
  private control: Uint8Array[] = [];
  private controlBytes = 0;
  private current: Uint8Array | undefined;
  private offset = 0;
  private isFull = false;
  private held = false;
  private stalledAt = 0;
  /** Whether the socket has accepted anything since it was last full. Cheaper than reading the clock at each write. */
  private hasMoved = false;

  constructor(socket: WritableSocket, now: () => number = performance.now.bind(performance)) {
    this.socket = socket;
    this.now = now;
  }

  /** How long the socket has accepted nothing although bytes are waiting. Milliseconds; 0 if none are waiting. */
  get stalledMs(): number {
    return this.isFull ? this.now() - this.stalledAt : 0;
  }

  /** Whether somebody else writes to the socket. */
  get isHeld(): boolean {
    return this.held;
  }

  /** Whether control messages are waiting. */
  get hasControl(): boolean {
    return this.control.length > 0;
  }

  /** Somebody else writes to the socket. Only for a writer that is idle. */
  hold(): void {
    this.held = true;
  }

  /** Writes again, first what the other one did not finish. */
  release(rest?: Uint8Array): void {
    this.held = false;
    if (rest && rest.length > 0) this.current = rest;
    this.pump();
  }

  /** Whether the socket accepted everything queued here. */
  get isIdle(): boolean {
    return !this.current && this.control.length === 0;
  }

  setSource(source: (() => Uint8Array | undefined) | undefined): void {
    this.source = source;
  }

  /** Queues a control message, to be sent before further media. Returns false if too much is queued already. */
  send(message: Uint8Array): boolean {
    if (this.controlBytes + message.length > maxControlBytes) return false;
    this.control.push(message);
    this.controlBytes += message.length;
    return true;
  }

  /** Writes until the socket is full or nothing is left. Does nothing while the socket is full. */
  pump(): void {
    if (this.isFull || this.held) return;
    this.hasMoved = true;
    this.write();
  }

  /** The socket may have room again. */
  drain(): void {
    this.hasMoved = !this.isFull;
    this.isFull = false;
    if (!this.held) this.write();
  }

  private write(): void {
    for (;;) {
      const buffer = this.current ?? this.next();
      if (!buffer) return;
      this.current = buffer;
      const left = buffer.length - this.offset;
      const taken = this.socket.write(buffer, this.offset, left);
      if (taken < left) {
        this.halt(taken);
        return;
      }
      this.bytes += taken;
      this.hasMoved = true;
      this.current = undefined;
      this.offset = 0;
    }
  }

  private halt(taken: number): void {
    this.isFull = true;
    if (taken > 0) {
      this.bytes += taken;
      this.offset += taken;
      this.hasMoved = true;
    }
    if (this.hasMoved) this.stalledAt = this.now();
  }

  private next(): Uint8Array | undefined {
    const first = this.control[0];
    if (!first) return this.source?.();
    const buffer = this.control.length === 1 ? first : Buffer.concat(this.control);
    this.control = [];
    this.controlBytes = 0;
    return buffer;
  }
}
