import type { ReactNode } from 'react';
import { ColumnChooser } from './ColumnChooser.tsx';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';
import { SearchField } from './SearchField.tsx';
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
  return (
    <div className={styles.toolbar}>
      <SearchField text={address.search} change={(search) => change({ search })} />
      <div className={styles.toolbarEnd}>
        {children}
        {hasChooser && <ColumnChooser {...chooser} />}
      </div>
    </div>
  );
}
