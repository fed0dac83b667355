/** One preview stream: each part is built from the newest image when the reader has taken the last one. */
import type { Pictures } from './pictures.ts';

/** The picture that an image id stands for. */
export interface Wanted {
  readonly pictures: Pictures;
  readonly key: string;
}

interface ViewerOptions {
  readonly idHash: string;
  readonly boundary: string;
  /** Called when the reader disconnects or the stream is ended. */
  readonly onEnd: () => void;
  readonly now: () => number;
}

const encoder = new TextEncoder();

export type Viewer = ReturnType<typeof createViewer>;

export function createViewer({ idHash, boundary, onEnd, now }: ViewerOptions) {
  const images = new Map<string, Wanted>();
  /** Images whose newest version has not been sent yet, the longest waiting first. */
  const waiting = new Set<string>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wake: () => void = () => undefined;
  let isOver = false;
  let isReading = false;
  let askedAt = now();

  function nextPart(): Uint8Array | undefined {
    for (const imageId of waiting) {
      waiting.delete(imageId);
      const wanted = images.get(imageId);
      const picture = wanted?.pictures.newest(wanted.key);
      if (picture) return part(imageId, picture.jpeg, boundary);
    }
    return undefined;
  }

  function end(): void {
    if (isOver) return;
    isOver = true;
    onEnd();
    wake();
    controller?.close();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        given.enqueue(encoder.encode(`--${boundary}\r\n`));
      },
      async pull(given) {
        isReading = true;
        let next = nextPart();
        while (next === undefined && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          next = isOver ? undefined : nextPart();
        }
        isReading = false;
        askedAt = now();
        if (next !== undefined) given.enqueue(next);
      },
      cancel() {
        controller = undefined;
        end();
      },
    },
    { highWaterMark: 0 },
  );

  return {
    idHash,
    body,
    /** What each image id stands for. */
    images: images as ReadonlyMap<string, Wanted>,
    add(imageId: string, wanted: Wanted): void {
      images.set(imageId, wanted);
      if (!wanted.pictures.newest(wanted.key)) return;
      waiting.add(imageId);
      wake();
    },
    remove(imageId: string): void {
      images.delete(imageId);
      waiting.delete(imageId);
    },
    /** Notifies the viewer of a new picture. */
    changed(pictures: Pictures, key: string): void {
      for (const [imageId, wanted] of images) {
        if (wanted.pictures === pictures && wanted.key === key) waiting.add(imageId);
      }
      if (waiting.size > 0) wake();
    },
    /** How long an image has been waiting to be read, in milliseconds. */
    stalledMs: (): number => (isReading || waiting.size === 0 ? 0 : now() - askedAt),
    end,
  };
}

function part(imageId: string, jpeg: Uint8Array, boundary: string): Uint8Array {
  const head = `image-id: ${imageId}\r\ncontent-type: image/jpeg\r\ncontent-length: ${jpeg.length}\r\n\r\n`;
  return Buffer.concat([encoder.encode(head), jpeg, encoder.encode(`\r\n--${boundary}\r\n`)]);
}
