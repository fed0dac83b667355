import styles from './Skeleton.module.css';

/** Appears only after 150 ms, so that fast loads do not flicker. */
export function Skeleton({ width = '100%', height = 16 }: { width?: number | string; height?: number }) {
  return <span className={styles.bone} style={{ width, height }} aria-hidden="true" />;
}

/** Placeholder for a page whose code or data is loading; `of`: what the page consists of. */
export function PageSkeleton({ of }: { of: 'tiles' | 'table' }) {
  return (
    <div className={styles.page} aria-busy="true">
      <Skeleton width={180} height={26} />
      {of === 'table' ? (
        <TableSkeleton />
      ) : (
        <>
          <div className={styles.tiles}>
            {[0, 1, 2, 3].map((tile) => (
              <Skeleton key={tile} height={92} />
            ))}
          </div>
          <Skeleton height={260} />
        </>
      )}
    </div>
  );
}

/** Search field, header and rows. */
function TableSkeleton() {
  return (
    <div className={styles.table}>
      {['36%', ...Array.from({ length: 12 }, () => '100%')].map((width, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no other key
        <span key={row} className={styles.row}>
          <Skeleton width={width} height={18} />
        </span>
      ))}
    </div>
  );
}
