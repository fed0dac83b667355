/** A ring buffer with the newest values of one metric; null where it is unknown. */
export interface Ring {
  push(value: number | null): void;
  /** Returns the values, the oldest first. */
  values(): (number | null)[];
}

export function createRing(length: number): Ring {
  const cells = new Float32Array(length).fill(Number.NaN);
  let next = 0;
  return {
    push(value) {
      cells[next] = value ?? Number.NaN;
      next = (next + 1) % length;
    },
    values() {
      const ordered = [...cells.subarray(next), ...cells.subarray(0, next)];
      return ordered.map((value) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100));
    },
  };
}
