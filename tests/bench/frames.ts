/** Frame times of a page that scrolls. */

/** Scrolls up and down in the page; returns the time of each frame. Runs in the browser. */
export function scrollAndWatch(forMs: number): Promise<number[]> {
  const main = document.querySelector('main');
  const frames: number[] = [];
  return new Promise((resolve) => {
    const began = performance.now();
    let last = began;
    let step = 24;
    const frame = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (now - began > forMs || main === null) return resolve(frames);
      const before = main.scrollTop;
      main.scrollTop += step;
      if (main.scrollTop === before) step = -step;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

export function summaryOf(frames: readonly number[]): string {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return (
    `${frames.length} frames, median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms, ` +
    `${frames.filter((ms) => ms > 200).length} over 200 ms`
  );
}
