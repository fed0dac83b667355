/** One stream of a link: its queues and what its user may do with it. Created by the core only. */
import type { StreamCode } from './codes.ts';
import type { ReceivingStream } from './receive-window.ts';

/** Highest first. */
export const priorities = ['control', 'interactive', 'bulk', 'preview'] as const;
export type Priority = (typeof priorities)[number];

/** Bytes that `write` accepts before the user must wait. */
const maxQueuedBytes = 256 << 10;
/** Single bytes have a cost, too. */
const maxQueuedChunks = 1024;
/** A waiting user continues below this. */
const resumeBytes = maxQueuedBytes / 2;
/** Payloads up to this size are copied together: the window counts bytes, but each chunk has a cost, too. */
const smallBytes = 2048;
const packBytes = 16 << 10;

export interface StreamUser {
  /** Data or the end of the peer's data has arrived. */
  readable(): void;
  /** `write` accepts bytes again after it did not take all. */
  writable(): void;
  /** The stream is over: with a code after a reset, without one after both sides have ended. */
  closed(code: StreamCode | undefined): void;
}

/** What the core does for its streams. */
export interface StreamOwner {
  sendable(stream: LinkStream): void;
  consumed(stream: LinkStream): void;
  reset(stream: LinkStream, code: StreamCode): void;
}

export class LinkStream implements ReceivingStream {
  readonly id: number;
  readonly priority: Priority;
  outstanding = 0;
  unread = 0;
  extra = 0;
  arrived = 0;
  /** Bytes that the peer allows this side to send. */
  credit = 0;
  queuedBytes = 0;
  isEnding = false;
  hasSentFin = false;
  hasReceivedFin = false;
  isClosed = false;
  /** In the ring of its priority. */
  isScheduled = false;
  /** Set by the core until the frame is sent. */
  pendingCredit = 0;

  private readonly owner: StreamOwner;
  private readonly sending: Uint8Array[] = [];
  private sentOfFirst = 0;
  private readonly received: Uint8Array[] = [];
  /** Small payloads are collected at the end of this chunk, which is the last of `received`. */
  private pack: Uint8Array | undefined;
  private packed = 0;
  private mustTellWritable = false;
  private user: StreamUser | undefined;
  private closeCode: StreamCode | undefined;

  constructor(id: number, priority: Priority, owner: StreamOwner) {
    this.id = id;
    this.priority = priority;
    this.owner = owner;
  }

  /** Attaches the user, once. Reports what has happened before. */
  attach(user: StreamUser): void {
    this.user = user;
    if (this.isClosed) user.closed(this.closeCode);
    else if (this.unread > 0 || this.hasReceivedFin) user.readable();
  }

  /** Returns the next bytes, undefined when there are none at the moment; the peer may then send as many again. */
  read(): Uint8Array | undefined {
    const chunk = this.received.shift();
    if (chunk === undefined) return undefined;
    const bytes = chunk === this.pack ? chunk.subarray(0, this.packed) : chunk;
    if (chunk === this.pack) this.pack = undefined;
    this.unread -= bytes.length;
    if (!this.isClosed) this.owner.consumed(this);
    return bytes;
  }

  /** The peer has ended and all of its data was read. */
  get isAtEnd(): boolean {
    return this.hasReceivedFin && this.unread === 0;
  }

  /** Takes as many of the bytes as there is room for and returns their number. The memory is used until it is sent. */
  write(bytes: Uint8Array): number {
    if (this.isClosed || this.isEnding) return 0;
    const isFull = this.sending.length >= maxQueuedChunks;
    const taken = isFull ? 0 : Math.min(bytes.length, maxQueuedBytes - this.queuedBytes);
    if (taken > 0) {
      this.sending.push(taken === bytes.length ? bytes : bytes.subarray(0, taken));
      this.queuedBytes += taken;
      this.owner.sendable(this);
    }
    if (taken < bytes.length) this.mustTellWritable = true;
    return taken;
  }

  /** No more data follows what was written. */
  end(): void {
    if (this.isClosed || this.isEnding) return;
    this.isEnding = true;
    this.owner.sendable(this);
  }

  /** Ends both directions at once. Queued and unread data is lost. */
  reset(code: StreamCode): void {
    if (!this.isClosed) this.owner.reset(this, code);
  }

  /** For the core: whether DATA or FIN can be sent now. */
  get canSend(): boolean {
    if (this.isClosed) return false;
    return this.queuedBytes > 0 ? this.credit > 0 : this.isEnding && !this.hasSentFin;
  }

  /** For the core: moves up to `maxBytes` queued bytes to `into` and returns their number. */
  moveTo(into: Uint8Array, at: number, maxBytes: number): number {
    let moved = 0;
    while (moved < maxBytes) {
      const first = this.sending[0];
      if (first === undefined) break;
      const take = Math.min(first.length - this.sentOfFirst, maxBytes - moved);
      const isWhole = take === first.length;
      into.set(isWhole ? first : first.subarray(this.sentOfFirst, this.sentOfFirst + take), at + moved);
      moved += take;
      this.sentOfFirst += take;
      if (this.sentOfFirst < first.length) continue;
      this.sending.shift();
      this.sentOfFirst = 0;
    }
    this.queuedBytes -= moved;
    this.credit -= moved;
    return moved;
  }

  /** For the core: after `moveTo`, when the message is complete. */
  tellWritable(): void {
    if (!this.mustTellWritable || this.queuedBytes > resumeBytes || this.isClosed) return;
    this.mustTellWritable = false;
    this.user?.writable();
  }

  /** For the core. `isShared`: the payload is a small part of a larger message, which it would keep in memory. */
  deliver(payload: Uint8Array, isShared: boolean): void {
    this.unread += payload.length;
    if (payload.length <= smallBytes && this.received.length > 0) this.collect(payload);
    else {
      this.seal();
      // Not `slice`, which is a view if the socket delivers a Buffer.
      this.received.push(isShared ? new Uint8Array(payload) : payload);
    }
    this.user?.readable();
  }

  private collect(payload: Uint8Array): void {
    if (this.pack === undefined || this.pack.length - this.packed < payload.length) {
      this.seal();
      this.pack = new Uint8Array(packBytes);
      this.packed = 0;
      this.received.push(this.pack);
    }
    this.pack.set(payload, this.packed);
    this.packed += payload.length;
  }

  /** Ends the pack without its unused memory. */
  private seal(): void {
    if (this.pack === undefined) return;
    this.received[this.received.length - 1] = this.pack.slice(0, this.packed);
    this.pack = undefined;
  }

  /** For the core: FIN has arrived. */
  finish(): void {
    this.hasReceivedFin = true;
    this.user?.readable();
  }

  /** For the core. After a reset nothing can be read any more. */
  close(code: StreamCode | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closeCode = code;
    this.sending.length = 0;
    this.queuedBytes = 0;
    if (code !== undefined) {
      this.received.length = 0;
      this.pack = undefined;
      this.unread = 0;
    }
    this.user?.closed(code);
  }
}
