/** Thumbnails of one channel or input during its turn: feeds its FFmpeg process, and replaces one that fails or hangs. */
import { timing } from '../../timing.ts';
import { createBackoff } from '../connection/backoff.ts';
import { entryOf, type KeyPicture, keyPictureOf, type PictureSource } from './key-picture.ts';
import { type PictureMaker, startPictureMaker } from './picture-maker.ts';

export type ChannelPictures = ReturnType<typeof startChannelPictures>;

interface ChannelPicturesOptions {
  readonly binary: string;
  /** Returns the current state of the channel. */
  readonly source: () => PictureSource | undefined;
  readonly onPicture: (jpeg: Buffer) => void;
}

/** Slightly less than a second, so that no keyframe is missed if there is one per second. */
const leastStepMs = 950;

export function startChannelPictures({ binary, source, onPicture }: ChannelPicturesOptions) {
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

  /** Throws if it cannot even be started. */
  function start({ codec }: KeyPicture, nowMs: number): PictureMaker {
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
    /** Called a few times per second. */
    tick(nowMs: number): void {
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
      try {
        maker ??= start(key, nowMs);
        maker.make(key.bytes);
      } catch {
        notBefore = performance.now() + backoff.next(false);
        lastEntry = undefined;
      }
    },
    /** Number of pictures since the start. */
    get count(): number {
      return count;
    },
    close: stop,
  };
}
