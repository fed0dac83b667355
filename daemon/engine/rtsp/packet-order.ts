/** Puts the RTP packets of one track in order of their sequence numbers. */
import { type RtpPacket, readRtp } from './packet.ts';

interface PacketOrderOptions {
  /** Milliseconds that an early packet waits for those before it. 0 if the transport preserves order. */
  readonly lateMs: number;
  /** `isAfterLoss`: packets before it are lost, or the sender has restarted. */
  readonly onPacket: (packet: RtpPacket, isAfterLoss: boolean) => void;
}

const sequences = 1 << 16;
/** A larger step is a restart of the sender, not a loss (RFC 3550, appendix A.1). Also limits how many packets wait. */
const maxMissing = 3000;

export class PacketOrder {
  private readonly options: PacketOrderOptions;
  private source: number | undefined;
  /** The next expected sequence number. */
  private next = 0;
  private readonly held = new Map<number, { readonly packet: RtpPacket; readonly at: number }>();
  /** The sequence number after an implausible one. If it arrives, the sender has restarted. */
  private restartAt: number | undefined;

  constructor(options: PacketOrderOptions) {
    this.options = options;
  }

  /** `now`: monotonic time in milliseconds. Packets that have to wait are copied. */
  take(bytes: Uint8Array, now: number): void {
    const packet = readRtp(bytes);
    if (!packet) return;
    if (packet.source !== this.source) this.begin(packet);
    const step = (packet.sequence - this.next + sequences) % sequences;
    if (step === 0) this.pass(packet, false);
    else if (step <= maxMissing) this.wait(packet, now);
    else if (step < sequences - maxMissing) this.doubt(packet);
    this.giveUp(now);
  }

  private begin(packet: RtpPacket): void {
    const isFirst = this.source === undefined;
    this.source = packet.source;
    this.held.clear();
    this.restartAt = undefined;
    this.next = packet.sequence;
    if (!isFirst) this.pass(packet, true);
  }

  private pass(packet: RtpPacket, isAfterLoss: boolean): void {
    this.next = (packet.sequence + 1) % sequences;
    this.options.onPacket(packet, isAfterLoss);
    for (let waiting = this.held.get(this.next); waiting; waiting = this.held.get(this.next)) {
      this.held.delete(this.next);
      this.next = (this.next + 1) % sequences;
      this.options.onPacket(waiting.packet, false);
    }
  }

  private wait(packet: RtpPacket, now: number): void {
    if (this.options.lateMs === 0) this.pass(packet, true);
    else if (!this.held.has(packet.sequence)) {
      this.held.set(packet.sequence, { packet: { ...packet, payload: new Uint8Array(packet.payload) }, at: now });
    }
  }

  /** Handles a sequence number far from all others: two consecutive ones mean that the sender has restarted. */
  private doubt(packet: RtpPacket): void {
    if (packet.sequence === this.restartAt) {
      this.held.clear();
      this.pass(packet, true);
    }
    this.restartAt = (packet.sequence + 1) % sequences;
  }

  /** Passes on packets while the oldest has waited for `lateMs`. The map is in order of arrival. */
  private giveUp(now: number): void {
    for (;;) {
      const [oldest] = this.held.values();
      if (!oldest || now - oldest.at < this.options.lateMs) return;
      let first = oldest.packet.sequence;
      const ahead = (sequence: number) => (sequence - this.next + sequences) % sequences;
      for (const sequence of this.held.keys()) if (ahead(sequence) < ahead(first)) first = sequence;
      const packet = this.held.get(first)?.packet;
      this.held.delete(first);
      if (packet) this.pass(packet, true);
    }
  }
}
