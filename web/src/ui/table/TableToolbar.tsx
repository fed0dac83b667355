import { useLingui } from '@lingui/react/macro';
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { ColumnChooser } from './ColumnChooser.tsx';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';
import type { TableAddress } from './table-address.ts';
import type { TableSettings } from './table-settings.ts';

interface TableToolbarProps<T> {
  readonly columns: readonly Column<T>[];
  readonly address: TableAddress;
  readonly change: (part: Partial<TableAddress>) => void;
  readonly settings: TableSettings;
  readonly defaults: TableSettings;
  readonly keep: (settings: TableSettings) => void;
  readonly hasChooser: boolean;
  readonly children: ReactNode;
}

export function TableToolbar<T>({ address, change, hasChooser, children, ...chooser }: TableToolbarProps<T>) {
  const { t } = useLingui();
  const search = useRef<HTMLInputElement>(null);
  useSlashKey(search);
  return (
    <div className={styles.toolbar}>
      <TextInput
        ref={search}
        className={styles.search ?? ''}
        type="search"
        size="xs"
        aria-label={t`Search`}
        placeholder={t`Search`}
        value={address.search}
        onChange={(event) => change({ search: event.currentTarget.value })}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={
          address.search !== '' && (
            <CloseButton size="sm" aria-label={t`Clear the search`} onClick={() => change({ search: '' })} />
          )
        }
      />
      <div className={styles.toolbarEnd}>
        {children}
        {hasChooser && <ColumnChooser {...chooser} />}
      </div>
    </div>
  );
}

/** The slash key goes to the search, unless one is typing already; from the moment that the field can be seen. */
function useSlashKey(field: React.RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input,textarea,select,[role="dialog"]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [field]);
}
