/** How long a connected input has delivered no video, or no audio. */

/** Numbers of video and audio units received so far. */
export interface Counts {
  readonly video: number;
  readonly audio: number;
}

export function createSilenceMeter() {
  let seen: Counts = { video: 0, audio: 0 };
  let newest: Counts = { video: 0, audio: 0 };
  let at = 0;
  const seconds = (since: number) => Math.max(0, Math.floor((at - since) / 1000));
  return {
    /** A publisher started: measures silence from now on. */
    begin(nowMs: number): void {
      seen = { video: 0, audio: 0 };
      newest = { video: nowMs, audio: nowMs };
      at = nowMs;
    },
    /** Call once per second; `counts` is undefined if the publisher does not count. */
    tick(counts: Counts | undefined, nowMs: number): void {
      at = nowMs;
      if (!counts) return;
      newest = {
        video: counts.video === seen.video ? newest.video : nowMs,
        audio: counts.audio === seen.audio ? newest.audio : nowMs,
      };
      // A copy, because the caller keeps counting in its own object.
      seen = { video: counts.video, audio: counts.audio };
    },
    /** Whole seconds. */
    status: () => ({ video: seconds(newest.video), audio: seconds(newest.audio) }),
  };
}
