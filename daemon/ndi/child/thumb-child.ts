/**
 * Receives sources with low bandwidth and sends their newest pictures to the hub as small JPEGs. It calls the library
 * without waiting for frames.
 */
import type { NdiLibrary } from '../../../native/ndi/library.ts';
import { Receiver, type VideoFrame, viewOf } from '../../../native/ndi/receiver.ts';
import { writeToStderr } from '../../lib/log.ts';
import { type Timing, timing } from '../../timing.ts';
import type { ChildMessage, HubMessage } from '../messages.ts';
import type { ChildWork } from './run-child.ts';

interface ThumbChildOptions {
  readonly receive: NonNullable<NdiLibrary['receive']>;
  readonly timing: Timing['ndiThumbnails'];
  send(message: ChildMessage): void;
}

interface Watched {
  readonly receiver: Receiver;
  sentAt: number;
  isEncoding: boolean;
}

/** A receiver that is behind catches up with the next look; the library drops what does not fit into its queue. */
const framesPerLook = 16;

export const makeThumbnails: ChildWork = ({ receive }, send) =>
  receive && new ThumbChild({ receive, timing: timing.ndiThumbnails, send });

export class ThumbChild {
  readonly #options: ThumbChildOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #timer: Timer;
  #heardAt = performance.now();

  constructor(options: ThumbChildOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.timing.lookMs);
  }

  receive(message: HubMessage): void {
    this.#heardAt = performance.now();
    if (message.type === 'ping') this.#options.send({ type: 'pong' });
    else if (message.type === 'watch') this.#watch(message.names);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watch([]);
  }

  #watch(names: readonly string[]): void {
    for (const [name, { receiver }] of this.#watched) {
      if (names.includes(name)) continue;
      receiver.close();
      this.#watched.delete(name);
    }
    for (const source of names) {
      if (this.#watched.has(source)) continue;
      const options = { source, bandwidth: 'low', color: 'bgr', name: 'Thumbnails' } as const;
      const receiver = new Receiver(this.#options.receive, options);
      this.#watched.set(source, { receiver, sentAt: Number.NEGATIVE_INFINITY, isEncoding: false });
    }
  }

  #look(): void {
    const now = performance.now();
    // Pictures for a hub that has stopped would fill the memory.
    if (now - this.#heardAt > this.#options.timing.hubSilentMs) return;
    for (const [name, one] of this.#watched) {
      const isDue = !one.isEncoding && now - one.sentAt >= this.#options.timing.pictureMs;
      let picture: Uint8Array | undefined;
      const taker = {
        video(frame: VideoFrame) {
          if (isDue) picture = bitmapOf(frame) ?? picture;
        },
      };
      // Takes all frames, also those that it makes no picture of, so that the next picture is current.
      for (let count = 0; count < framesPerLook && one.receiver.capture(0, taker) !== 'none'; count++);
      if (picture !== undefined) this.#send(name, one, picture, now);
    }
  }

  #send(name: string, one: Watched, picture: Uint8Array, now: number): void {
    one.isEncoding = true;
    one.sentAt = now;
    jpegOf(picture)
      .then(
        (jpeg) => {
          if (this.#watched.get(name) === one) this.#options.send({ type: 'picture', name, jpeg });
        },
        (error) => writeToStderr(`no thumbnail of ${name}: ${error}`),
      )
      .finally(() => {
        one.isEncoding = false;
      });
  }
}

/** The box that pictures fit into, in pixels. */
const box = { width: 320, height: 180 };
/** More than any low-bandwidth picture has. */
const maxPixels = 4096 * 2160;

/** Returns the JPEG in base64. */
async function jpegOf(picture: Uint8Array): Promise<string> {
  const image = new Bun.Image(picture, { maxPixels });
  return image.resize(box.width, box.height, { fit: 'inside', filter: 'box' }).jpeg({ quality: 75 }).toBase64();
}

const bitmapHead = 54;

/** Returns the frame as a BMP file, the format in which `Bun.Image` takes raw pixels; undefined for other frames. */
function bitmapOf({ width, height, stride, fourCc, data }: VideoFrame): Uint8Array | undefined {
  if (!/^BGR[AX]$/.test(fourCc) || width * height > maxPixels) return undefined;
  const row = width * 4;
  const file = new Uint8Array(bitmapHead + row * height);
  const view = new DataView(file.buffer);
  view.setUint16(0, 0x4d42, true);
  view.setUint32(2, file.length, true);
  view.setUint32(10, bitmapHead, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  // Negative: the first row is the top one.
  view.setInt32(22, -height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 32, true);
  const pixels = viewOf(data, stride * height);
  for (let y = 0; y < height; y++) file.set(pixels.subarray(y * stride, y * stride + row), bitmapHead + y * row);
  return file;
}
