/** How long an input has brought no picture, or no sound, while it is connected. */

/** Pieces of picture and of sound that came so far. */
export interface Counts {
  readonly video: number;
  readonly audio: number;
}

export interface QuietMeter {
  /** A publisher came; what it doesn't bring is missed from now on. */
  begin(nowMs: number): void;
  /** Call once a second; undefined when nobody counts. */
  tick(counts: Counts | undefined, nowMs: number): void;
  /** Whole seconds. */
  status(): { readonly video: number; readonly audio: number };
}

export function createQuietMeter(): QuietMeter {
  let seen: Counts = { video: 0, audio: 0 };
  let newest: Counts = { video: 0, audio: 0 };
  let at = 0;
  const seconds = (since: number) => Math.max(0, Math.floor((at - since) / 1000));
  return {
    begin(nowMs) {
      seen = { video: 0, audio: 0 };
      newest = { video: nowMs, audio: nowMs };
      at = nowMs;
    },
    tick(counts, nowMs) {
      at = nowMs;
      if (!counts) return;
      newest = {
        video: counts.video === seen.video ? newest.video : nowMs,
        audio: counts.audio === seen.audio ? newest.audio : nowMs,
      };
      // A copy: the counts go on in the object that was handed in.
      seen = { video: counts.video, audio: counts.audio };
    },
    status: () => ({ video: seconds(newest.video), audio: seconds(newest.audio) }),
  };
}
