/** Notices a child process that hangs: it no longer answers. */
import type { ChildLink } from './supervisor.ts';

interface Watch {
  readonly checkMs: number;
  /** Called at each check. */
  onCheck?(): void;
  /** Called once. */
  onHung(): void;
}

const silentChecksBeforeHung = 3;

/** Returns a function that ends the watch and returns whether the process hung. */
export function watchSilence(link: Pick<ChildLink, 'heardAt' | 'ping'>, watch: Watch): () => boolean {
  let hasHung = false;
  let lastHeard = link.heardAt();
  let silent = 0;
  // Counted in checks, not in time: after a suspended machine wakes, the process gets to run first.
  const timer = setInterval(() => {
    silent = link.heardAt() === lastHeard ? silent + 1 : 0;
    lastHeard = link.heardAt();
    watch.onCheck?.();
    link.ping?.();
    if (silent < silentChecksBeforeHung || hasHung) return;
    hasHung = true;
    watch.onHung();
  }, watch.checkMs);
  return () => {
    clearInterval(timer);
    return hasHung;
  };
}
