import styles from './Skeleton.module.css';

/** Appears only after 150 ms, so that fast loads do not flicker. */
export function Skeleton({ width = '100%', height = 16 }: { width?: number | string; height?: number }) {
  return <span className={styles.bone} style={{ width, height }} aria-hidden="true" />;
}

/** Placeholder for a page whose code or data is loading. */
export function PageSkeleton() {
  return (
    <div className={styles.page} aria-busy="true">
      <Skeleton width={180} height={26} />
      <div className={styles.tiles}>
        {[0, 1, 2, 3].map((tile) => (
          <Skeleton key={tile} height={92} />
        ))}
      </div>
      <Skeleton height={260} />
    </div>
  );
}
