/** Line and area of a curve in a box of `width` by `height`; null values interrupt it, so that gaps are visible. */
export function sparklinePath(
  values: readonly (number | null)[],
  { width, height, max }: { width: number; height: number; max: number },
) {
  const x = (index: number) => round((index / Math.max(1, values.length - 1)) * width);
  const y = (value: number) => round(height - (Math.min(value, max) / max) * height);
  let line = '';
  let area = '';
  let start: number | undefined;
  values.forEach((value, index) => {
    if (value === null) return;
    if (start === undefined) start = index;
    line += `${start === index ? 'M' : 'L'}${x(index)} ${y(value)}`;
    area += `${start === index ? `M${x(index)} ${height}L` : 'L'}${x(index)} ${y(value)}`;
    const next = values[index + 1];
    if (next === null || next === undefined) {
      area += `L${x(index)} ${height}Z`;
      start = undefined;
    }
  });
  return { line, area };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Means of `count` buckets: a curve of a hundred points is as informative as one of 3600 and draws much faster. */
export function thin(values: readonly (number | null)[], count: number): (number | null)[] {
  if (values.length <= count) return [...values];
  const size = values.length / count;
  return Array.from({ length: count }, (_, bucket) => {
    const known = values.slice(Math.floor(bucket * size), Math.floor((bucket + 1) * size)).filter((v) => v !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
