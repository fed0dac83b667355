import { memo, useMemo } from 'react';
import styles from './Sparkline.module.css';
import { sparklinePath, thin } from './sparkline-path.ts';

interface SparklineProps {
  readonly values: readonly (number | null)[];
  /** Text description of the curve, with its extremes. */
  readonly label: string;
  /** Top of the scale; defaults to the largest value. */
  readonly max?: number;
}

const points = 120;
const box = { width: 240, height: 36 };

export const Sparkline = memo(function Sparkline({ values, label, max }: SparklineProps) {
  const { line, area } = useMemo(() => {
    const thinned = thin(values, points);
    const top = max ?? Math.max(0.001, ...thinned.map((value) => value ?? 0)) * 1.1;
    return sparklinePath(thinned, { ...box, max: top });
  }, [values, max]);
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${box.width} ${box.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={styles.area} d={area} />
      <path className={styles.line} d={line} />
    </svg>
  );
});
