import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import styles from './DataTable.module.css';
import type { TableAddress } from './table-address.ts';
import type { TableSettings } from './table-settings.ts';

interface TablePagerProps {
  readonly model: { readonly matching: number; readonly page: number; readonly pageCount: number };
  readonly total: number;
  readonly settings: TableSettings;
  readonly sizes: readonly number[];
  readonly change: (part: Partial<TableAddress>) => void;
  readonly keep: (settings: TableSettings) => void;
}

export function TablePager({ model, total, settings, sizes, change, keep }: TablePagerProps) {
  const { t } = useLingui();
  const { matching, page, pageCount } = model;
  const smallest = sizes[0] ?? 25;
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
      {total > smallest && (
        <div className={styles.pagerEnd}>
          <label>
            <Trans>Per page</Trans>
            <select
              value={settings.pageSize}
              onChange={(event) => {
                keep({ ...settings, pageSize: Number(event.currentTarget.value) });
                change({ page: 0 });
              }}
            >
              {sizes.map((size) => (
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
