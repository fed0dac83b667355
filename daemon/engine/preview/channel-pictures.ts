/** Thumbnails of one channel during its turn: feeds its FFmpeg process, and replaces one that fails or hangs. */
import { timing } from '../../timing.ts';
import { createBackoff } from '../connection/backoff.ts';
import { entryOf, type KeyPicture, keyPictureOf, type PictureSource } from './key-picture.ts';
import { type PictureMaker, startPictureMaker } from './picture-maker.ts';

export interface ChannelPictures {
  /** Called a few times per second. */
  tick(nowMs: number): void;
  /** Number of pictures since the start. */
  readonly count: number;
  close(): void;
}

interface ChannelPicturesOptions {
  readonly binary: string;
  /** Returns the current state of the channel. */
  readonly source: () => PictureSource | undefined;
  readonly onPicture: (jpeg: Buffer) => void;
}

/** Slightly less than a second, so that no keyframe is missed if there is one per second. */
const leastStepMs = 950;

export function startChannelPictures({ binary, source, onPicture }: ChannelPicturesOptions): ChannelPictures {
  const backoff = createBackoff();
  let maker: PictureMaker | undefined;
  let format = '';
  let lastEntry: string | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let notBefore = Number.NEGATIVE_INFINITY;
  let count = 0;

  function stop(): void {
    const stopped = maker;
    maker = undefined;
    stopped?.close();
  }

  /** Returns undefined if it cannot even be started. */
  function start({ codec }: KeyPicture, nowMs: number): PictureMaker | undefined {
    try {
      return begin(codec, nowMs);
    } catch {
      notBefore = performance.now() + backoff.next(false);
      lastEntry = undefined;
      return undefined;
    }
  }

  function begin(codec: KeyPicture['codec'], nowMs: number): PictureMaker {
    const started: PictureMaker = startPictureMaker({
      binary,
      codec,
      onPicture(jpeg) {
        if (maker !== started) return;
        count++;
        onPicture(jpeg);
      },
      onEnd() {
        if (maker !== started) return;
        maker = undefined;
        backoff.ended(performance.now() - nowMs);
        notBefore = performance.now() + backoff.next(false);
      },
    });
    return started;
  }

  return {
    tick(nowMs) {
      const busyMs = maker?.busyMs();
      // Its end counts as a failure.
      if (busyMs !== undefined && busyMs > timing.preview.stuckMs) maker?.close();
      if (busyMs !== undefined || nowMs < notBefore || nowMs - lastAt < leastStepMs) return;
      const from = source();
      const entry = from && entryOf(from);
      if (!from || entry === undefined || entry === lastEntry) return;
      const key = keyPictureOf(from);
      if (key === 'wait') return;
      lastEntry = entry;
      if (key === 'none') return;
      if (key.format !== format) stop();
      format = key.format;
      lastAt = nowMs;
      maker ??= start(key, nowMs);
      maker?.make(key.bytes);
    },
    get count() {
      return count;
    },
    close: stop,
  };
}
