/** Pictures of devices for preview streams, asked from a device only while somebody looks at it. */
import { devicePreviewPrefix } from '../../contract/preview-stream.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { NumberedPicture, PictureSource } from '../../http/picture-source.ts';
import { createSemaphore } from '../../lib/semaphore.ts';

export interface DevicePictureDeps {
  readonly canSee: PictureSource['canSee'];
  /** Rejects with a `DeviceProblem`: `unsupported` for a device that has no picture. */
  readonly ask: (sn: string) => Promise<Uint8Array>;
  /** Called for each device that somebody looks at. */
  readonly look: (sn: string) => void;
  readonly now: () => number;
}

/** Requests under way; a viewer of a large list gets pictures less often instead of loading the network. */
const atOnce = 32;
const everyMs = 1000;
/** Pause after a request that failed, and for a device that has no picture. */
const failedMs = 5000;
const noneMs = 60_000;
/** The last picture is kept while somebody looks, and dropped this long after. */
const keptMs = 10_000;

interface Kept {
  picture: NumberedPicture | undefined;
  isAsking: boolean;
  nextAt: number;
  seenAt: number;
}

export function createDevicePictures({ canSee, ask, look, now }: DevicePictureDeps): PictureSource {
  const kept = new Map<string, Kept>();
  const inTurn = createSemaphore({ atOnce, longestLine: Number.POSITIVE_INFINITY });
  let lastNumber = 0;

  async function refresh(sn: string, one: Kept): Promise<void> {
    one.isAsking = true;
    const startedAt = now();
    try {
      const jpeg = await inTurn(() => ask(sn));
      lastNumber += 1;
      one.picture = { key: sn, number: lastNumber, jpeg };
      one.nextAt = Math.max(now(), startedAt + everyMs);
    } catch (error) {
      const isNone = error instanceof DeviceProblem && error.word === 'unsupported';
      one.nextAt = now() + (isNone ? noneMs : failedMs);
    } finally {
      one.isAsking = false;
    }
  }

  return {
    prefix: devicePreviewPrefix,
    canSee,
    async newer(keys, after) {
      const at = now();
      for (const [sn, one] of kept) if (at - one.seenAt > keptMs) kept.delete(sn);
      for (const sn of keys) {
        look(sn);
        const one = kept.get(sn) ?? { picture: undefined, isAsking: false, nextAt: at, seenAt: at };
        one.seenAt = at;
        kept.set(sn, one);
        if (!one.isAsking && at >= one.nextAt) void refresh(sn, one);
      }
      return keys.flatMap((sn) => {
        const picture = kept.get(sn)?.picture;
        return picture !== undefined && picture.number > after ? [picture] : [];
      });
    },
  };
}
