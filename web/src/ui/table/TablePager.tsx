import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import styles from './DataTable.module.css';
import type { TableAddress } from './table-address.ts';
import { pageSizes } from './table-settings.ts';

interface TablePagerProps {
  readonly matching: number;
  readonly total: number;
  /** From 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly change: (part: Partial<TableAddress>) => void;
  readonly onPageSize: (size: number) => void;
}

export function TablePager({ matching, total, page, pageSize, change, onPageSize }: TablePagerProps) {
  const { t } = useLingui();
  const pageCount = Math.max(1, Math.ceil(matching / pageSize));
  return (
    <div className={styles.pager}>
      <span aria-live="polite">
        {matching === total ? (
          <Plural value={total} one="# entry" other="# entries" />
        ) : (
          <Trans>
            {matching} of {total} match
          </Trans>
        )}
      </span>
      {total > pageSizes[0] && (
        <div className={styles.pagerEnd}>
          <label>
            <Trans>Per page</Trans>
            <select
              value={pageSize}
              onChange={(event) => {
                onPageSize(Number(event.currentTarget.value));
                change({ page: 0 });
              }}
            >
              {pageSizes.map((size) => (
                <option key={size} value={size}>
                  {size}
                </option>
              ))}
            </select>
          </label>
          <ActionIcon aria-label={t`Previous page`} disabled={page === 0} onClick={() => change({ page: page - 1 })}>
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
          <span>
            <Trans>
              {page + 1} of {pageCount}
            </Trans>
          </span>
          <ActionIcon
            aria-label={t`Next page`}
            disabled={page >= pageCount - 1}
            onClick={() => change({ page: page + 1 })}
          >
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </div>
      )}
    </div>
  );
}
