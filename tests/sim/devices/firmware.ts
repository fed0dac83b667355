/**
 * The firmware of a simulated device: it takes files that are made for it, writes them step by step, and runs what it
 * wrote after a restart. `firmwareImage` makes such files.
 */
import { createHash, type Hash } from 'node:crypto';
import { serialParts } from '../../../daemon/contract/device-catalog.ts';

export interface ImageFor {
  readonly productId: number;
  /** Hardware letter. */
  readonly hardware: string;
  readonly version: string;
  /** Default: 256 KiB. */
  readonly bytes?: number;
}

const headBytes = 256;

/** A file that the simulated devices of this product accept: a line that says what it is, then bytes with a known hash. */
export function firmwareImage({ productId, hardware, version, bytes = 256 * 1024 }: ImageFor): Buffer {
  const payload = Buffer.alloc(bytes - headBytes, `${version} `);
  const sha256 = createHash('sha256').update(payload).digest('hex');
  const head = `SIMULATED ${productId} ${hardware} ${version} ${payload.length} ${sha256}`;
  return Buffer.concat([Buffer.from(head.padEnd(headBytes)), payload]);
}

export type FirmwareFault = 'mismatch' | 'badFile' | 'noSpace' | 'busy' | 'missing' | 'writeFailed';

/** What goes wrong with the next upgrades. */
export interface FirmwareFaults {
  /** The device has no space for more bytes than this, and says so as soon as it knows. */
  readonly freeBytes?: number;
  /** It reads no more than this. */
  readonly bytesPerSecond?: number;
  /** It stops reading after so many bytes, and never answers. */
  readonly stuckAfter?: number;
  /** It closes the connection after so many bytes. */
  readonly dropAfter?: number;
  /** It takes the whole file, and refuses it. */
  readonly file?: FirmwareFault;
  /** It refuses to begin. */
  readonly start?: FirmwareFault;
  /** It gives up at this percentage. */
  readonly failsAt?: number;
  /** It loses its power at this percentage, and comes back with the firmware that it had. */
  readonly powerLossAt?: number;
  /** It never says that it has written. */
  readonly hangsAt?: number;
  /** It comes back with this version instead of the written one. */
  readonly comesBackWith?: string;
}

interface Staged {
  readonly version: string;
}

export interface FirmwareHost {
  readonly sn: string;
  /** Whether it restarts by itself when it has written. */
  readonly restartsItself: boolean;
  /** Milliseconds that writing takes. */
  readonly writeMs: number;
  restart(): void;
}

export class SimulatedFirmware {
  version: string;
  faults: FirmwareFaults = {};
  state: 'idle' | 'writing' | 'written' | 'failed' = 'idle';
  /** Files that arrived whole and were accepted. */
  uploads = 0;
  /** How often it began to write. */
  starts = 0;
  /** Uploads that began while it was writing: a hub must never do that. */
  disturbed = 0;
  private readonly host: FirmwareHost;
  private staged: Staged | undefined;
  private writingSince = 0;
  private timers: ReturnType<typeof setTimeout>[] = [];

  constructor(version: string, host: FirmwareHost) {
    this.version = version;
    this.host = host;
  }

  get percent(): number {
    if (this.state !== 'writing') return this.state === 'written' ? 100 : 0;
    const { writeMs } = this.host;
    const now = Math.min(99, Math.floor(((Date.now() - this.writingSince) / Math.max(1, writeMs)) * 100));
    return Math.min(now, this.faults.hangsAt ?? 100);
  }

  /** Takes the part `file` of a form. Returns what is wrong with it; undefined: nothing. */
  async receive(request: Request): Promise<FirmwareFault | 'drop' | undefined> {
    if (this.state === 'writing') {
      this.disturbed += 1;
      return 'busy';
    }
    this.staged = undefined;
    const boundary = /boundary=([^;]+)/.exec(request.headers.get('content-type') ?? '')?.[1];
    const length = Number(request.headers.get('content-length'));
    if (boundary === undefined || !(length > 0) || request.body === null) return 'badFile';
    const { freeBytes, bytesPerSecond, stuckAfter, dropAfter } = this.faults;
    const file = new ReceivedFile(length, boundary);
    const startedAt = Date.now();
    for await (const part of request.body) {
      file.take(part);
      if (file.received > (freeBytes ?? Number.POSITIVE_INFINITY)) return 'noSpace';
      if (file.received > (dropAfter ?? Number.POSITIVE_INFINITY)) return 'drop';
      if (file.received > (stuckAfter ?? Number.POSITIVE_INFINITY)) await new Promise(() => {});
      if (bytesPerSecond !== undefined) {
        const dueMs = (file.received / bytesPerSecond) * 1000 - (Date.now() - startedAt);
        if (dueMs > 0) await Bun.sleep(dueMs);
      }
    }
    const image = file.end();
    if (this.faults.file !== undefined) return this.faults.file;
    if (image === undefined) return 'badFile';
    const own = serialParts(this.host.sn);
    if (image.productId !== own?.productId || image.hardware !== own.hardwareVersion) return 'mismatch';
    this.staged = { version: image.version };
    this.uploads += 1;
    return undefined;
  }

  /** Returns why it does not begin; undefined: it does. */
  begin(): FirmwareFault | undefined {
    if (this.state === 'writing') return 'busy';
    if (this.staged === undefined) return 'missing';
    if (this.faults.start !== undefined) return this.faults.start;
    this.starts += 1;
    this.state = 'writing';
    this.writingSince = Date.now();
    const { failsAt, powerLossAt, hangsAt } = this.faults;
    if (hangsAt !== undefined) return undefined;
    const at = failsAt ?? powerLossAt ?? 100;
    this.after((this.host.writeMs * at) / 100, () => {
      if (failsAt !== undefined) this.fail();
      else if (powerLossAt !== undefined) this.losePower();
      else this.written();
    });
    return undefined;
  }

  /** The device has restarted, for whatever reason. */
  restarted(): void {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
    if (this.state === 'written' && this.staged !== undefined) {
      this.version = this.faults.comesBackWith ?? this.staged.version;
    }
    this.staged = undefined;
    this.state = 'idle';
  }

  clear(): void {
    if (this.state === 'failed') this.state = 'idle';
  }

  losePower(): void {
    this.state = 'idle';
    this.staged = undefined;
    this.host.restart();
  }

  private fail(): void {
    this.staged = undefined;
    this.state = 'failed';
  }

  private written(): void {
    this.state = 'written';
    if (this.host.restartsItself) this.host.restart();
  }

  private after(ms: number, then: () => void): void {
    const timer = setTimeout(then, ms);
    timer.unref();
    this.timers.push(timer);
  }
}

/** Reads a form with one file without keeping the file. */
class ReceivedFile {
  received = 0;
  private readonly formBytes: number;
  private readonly tail: Buffer;
  private head = Buffer.alloc(0);
  /** Bytes before the file; undefined until they have arrived. */
  private begin: number | undefined;
  private imageHead = Buffer.alloc(0);
  private payloadBytes = 0;
  private readonly hash: Hash = createHash('sha256');

  constructor(formBytes: number, boundary: string) {
    this.formBytes = formBytes;
    this.tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  }

  take(bytes: Uint8Array): void {
    const from = this.received;
    this.received += bytes.byteLength;
    if (this.begin !== undefined) this.takeFile(bytes, from);
    else {
      this.head = Buffer.concat([this.head, bytes]);
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.begin = end + 4;
      this.takeFile(this.head, 0);
    }
  }

  /** What the file says it is; undefined if it is not whole, or not what it says. */
  end(): (ImageFor & { readonly bytes: number }) | undefined {
    if (this.received !== this.formBytes) return undefined;
    const [word, product, hardware, version, bytes, sha256] = this.imageHead.toString().trim().split(' ');
    if (word !== 'SIMULATED' || hardware === undefined || version === undefined) return undefined;
    if (Number(bytes) !== this.payloadBytes || this.hash.digest('hex') !== sha256) return undefined;
    return { productId: Number(product), hardware, version, bytes: Number(bytes) };
  }

  private takeFile(bytes: Uint8Array, from: number): void {
    const end = this.formBytes - this.tail.length - from;
    const file = bytes.subarray(Math.max(0, (this.begin ?? 0) - from), Math.max(0, end));
    const missing = headBytes - this.imageHead.length;
    if (missing > 0) this.imageHead = Buffer.concat([this.imageHead, file.subarray(0, missing)]);
    const payload = file.subarray(Math.max(0, missing));
    this.payloadBytes += payload.byteLength;
    this.hash.update(payload);
  }
}
