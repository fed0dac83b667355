/** Stores what devices state about themselves, but not at every poll: a device may state another name each time. */
import { createTries } from './tries.ts';

/** Of one device. */
export const followed = { maxTries: 3, withinMs: 60_000 };

interface FollowDeps {
  /** Stores what these devices state now. Returns whether it did; if not, their next reports try again. */
  readonly store: (sns: readonly string[]) => boolean;
  readonly now: () => number;
}

export function createFollower({ store, now }: FollowDeps) {
  const tries = createTries({ ...followed, now });
  /** Devices that have changed too often; what they state last is stored later. */
  const due = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function changed(sns: readonly string[]): void {
    const free = sns.filter(tries.mayTry);
    if (free.length > 0 && store(free)) free.forEach(tries.note);
    for (const sn of sns) {
      if (free.includes(sn)) due.delete(sn);
      else due.add(sn);
    }
    if (due.size > 0) timer ??= setTimeout(again, followed.withinMs);
  }
  function again(): void {
    timer = undefined;
    changed([...due]);
  }

  return {
    /** These devices state something else than what is stored. */
    changed,
    close: (): void => clearTimeout(timer),
  };
}
