/** A ring buffer with the newest values of one metric; null where it is unknown. */
export type Ring = ReturnType<typeof createRing>;

export function createRing(length: number) {
  const cells = new Float32Array(length).fill(Number.NaN);
  let next = 0;
  return {
    push(value: number | null): void {
      cells[next] = value ?? Number.NaN;
      next = (next + 1) % length;
    },
    /** Returns the values, the oldest first. */
    values(): (number | null)[] {
      const ordered = [...cells.subarray(next), ...cells.subarray(0, next)];
      return ordered.map((value) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100));
    },
  };
}
