/** Finds the lines of the matrix to render: those in or near the visible part. All lines have the same size. */

export interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Lines are rendered in blocks, so that scrolling renders only every few lines. A row has more crosspoints. */
export const blockSizes = { rows: 4, columns: 8 };

interface Viewport {
  /** Distance that is scrolled, in pixels. */
  readonly offset: number;
  /** Visible length without the heads, in pixels. */
  readonly length: number;
  /** Size of a line, in pixels. */
  readonly size: number;
  readonly count: number;
  /** Lines of a block. */
  readonly block: number;
}

/** Returns whole blocks, with one more on either side so that scrolling by less than a block shows no gap. */
export function windowOf({ offset, length, size, count, block }: Viewport): Range {
  const first = Math.floor(Math.max(0, offset) / size / block) - 1;
  const last = Math.floor((Math.max(0, offset) + length) / size / block) + 1;
  const from = Math.min(Math.max(0, first), Math.floor(Math.max(0, count - 1) / block)) * block;
  return { from, to: Math.min(count, (last + 1) * block) };
}

export function isSameRange(a: Range, b: Range): boolean {
  return a.from === b.from && a.to === b.to;
}

export function blocksOf({ from, to }: Range, block: number): Range[] {
  const blocks: Range[] = [];
  for (let at = from; at < to; at += block) blocks.push({ from: at, to: Math.min(to, at + block) });
  return blocks;
}

/** Returns the nearest scroll offset at which the line is entirely visible. */
export function offsetToShow(
  line: number,
  { offset, length, size }: Pick<Viewport, 'offset' | 'length' | 'size'>,
): number {
  const start = line * size;
  if (start < offset) return start;
  return start + size > offset + length ? start + size - length : offset;
}
