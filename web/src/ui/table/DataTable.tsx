import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { phone } from '../../lib/screen.ts';
import { EmptyState } from '../layout/EmptyState.tsx';
import type { Column, Identified } from './column.ts';
import styles from './DataTable.module.css';
import { TableGrid } from './TableGrid.tsx';
import { TablePager } from './TablePager.tsx';
import { TableToolbar } from './TableToolbar.tsx';
import { useTableAddress } from './table-address.ts';
import { readTableSettings, type TableSettings, writeTableSettings } from './table-settings.ts';
import { useSettled } from './useSettled.ts';
import { useTableModel } from './useTableModel.ts';

interface DataTableProps<T extends Identified> {
  /** Names the table in local storage. */
  readonly id: string;
  /** Label for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** Buttons at the end of a row; a stable function. */
  readonly rowActions?: (item: T) => ReactNode;
  readonly actionsWidth?: number;
  /** Shown if there are no items at all. */
  readonly empty: ReactNode;
  readonly toolbar?: ReactNode;
}

const pageSizes = [25, 50, 100];

export function DataTable<T extends Identified>(props: DataTableProps<T>) {
  const { id, label, columns, items, empty, rowActions, actionsWidth = 44 } = props;
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const { address, change } = useTableAddress();
  const defaults = defaultSettings(columns);
  const [settings, setSettings] = useState(() => readTableSettings(id, defaults));
  const keep = (next: TableSettings) => {
    setSettings(next);
    writeTableSettings(id, next);
  };
  const settled = useSettled(items);
  const model = useTableModel({ columns, items: settled, address, settings });
  const live = new Map(items.map((item) => [item.id, item]));
  const rows = model.rows.flatMap((row) => live.get(row.id) ?? []);
  if (items.length === 0) return <div className={styles.frame}>{empty}</div>;
  return (
    <div className={styles.frame}>
      <TableToolbar
        columns={columns}
        address={address}
        change={change}
        settings={settings}
        defaults={defaults}
        keep={keep}
        hasChooser={isPhone !== true}
      >
        {props.toolbar}
      </TableToolbar>
      {model.matching === 0 && <NoneMatch onClear={() => change({ search: '' })} />}
      {model.matching > 0 && (
        <TableGrid
          label={label}
          columns={model.columns}
          rows={rows}
          sorting={{ sort: address.sort, change }}
          {...(rowActions && { rowActions })}
          actionsWidth={actionsWidth}
        />
      )}
      <TablePager
        model={model}
        total={items.length}
        settings={settings}
        sizes={pageSizes}
        change={change}
        keep={keep}
      />
    </div>
  );
}

function defaultSettings<T>(columns: readonly Column<T>[]): TableSettings {
  const hidden = columns.filter((column) => column.isOptional === true).map((column) => column.key);
  return { hidden, order: [], pageSize: pageSizes[1] ?? 50 };
}

function NoneMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title={<Trans>Nothing matches the search</Trans>}
      action={
        <Button variant="default" onClick={onClear}>
          <Trans>Clear the search</Trans>
        </Button>
      }
    />
  );
}
