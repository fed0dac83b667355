/** Pictures of devices for preview streams, asked from a device only while somebody looks at it. */
import type { DevicePictureProblem } from '../../contract/device-problems.ts';
import { devicePreviewPrefix } from '../../contract/preview-stream.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { NumberedPicture, PictureSource } from '../../http/picture-source.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import type { Asked } from './picture-of.ts';

export interface DevicePictureDeps {
  readonly canSee: PictureSource['canSee'];
  /** Rejects with a `DeviceProblem`: `unsupported` for a device that has no picture. */
  readonly ask: (sn: string) => Promise<Asked>;
  /** Called when what `problemOf` returns has changed. */
  readonly onProblem: (sn: string) => void;
  /** Called for each device that somebody looks at. */
  readonly look: (sn: string) => void;
  readonly now: () => number;
}

/** Requests under way; a viewer of a large list gets pictures less often instead of loading the network. */
const atOnce = 32;
/** Pause after an answer without a picture yet. */
const waitMs = 400;
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
  problem: DevicePictureProblem | undefined;
}

export interface DevicePictures extends PictureSource {
  /** Why viewers see no picture; undefined while there is one, and for devices without viewers. */
  problemOf(sn: string): DevicePictureProblem | undefined;
}

export function createDevicePictures({ canSee, ask, look, onProblem, now }: DevicePictureDeps): DevicePictures {
  const kept = new Map<string, Kept>();
  const inTurn = createSemaphore({ atOnce, longestLine: Number.POSITIVE_INFINITY });
  let lastNumber = 0;

  async function refresh(sn: string, one: Kept): Promise<void> {
    one.isAsking = true;
    const startedAt = now();
    try {
      const asked = await inTurn(() => ask(sn));
      if (asked === 'wait') {
        one.nextAt = now() + waitMs;
        return;
      }
      lastNumber += 1;
      one.picture = { key: sn, number: lastNumber, jpeg: asked.jpeg };
      one.nextAt = Math.max(now(), startedAt + asked.restMs);
      setProblem(sn, one, undefined);
    } catch (error) {
      const isNone = error instanceof DeviceProblem && error.word === 'unsupported';
      one.nextAt = now() + (isNone ? noneMs : failedMs);
      setProblem(sn, one, isNone ? 'none' : 'failed');
    } finally {
      one.isAsking = false;
    }
  }

  function setProblem(sn: string, one: Kept, problem: DevicePictureProblem | undefined): void {
    if (one.problem === problem) return;
    one.problem = problem;
    onProblem(sn);
  }

  return {
    prefix: devicePreviewPrefix,
    problemOf: (sn) => kept.get(sn)?.problem,
    canSee,
    async newer(keys, after) {
      const at = now();
      for (const [sn, one] of kept) if (at - one.seenAt > keptMs) kept.delete(sn);
      for (const sn of keys) {
        look(sn);
        const one = kept.get(sn) ?? { picture: undefined, isAsking: false, nextAt: at, seenAt: at, problem: undefined };
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
