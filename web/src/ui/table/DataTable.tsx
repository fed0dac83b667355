import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearchOff } from '@tabler/icons-react';
import { memo, type ReactNode, useState } from 'react';
import { phone } from '../../shell/screen.ts';
import { EmptyState } from '../EmptyState.tsx';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell } from './HeaderCell.tsx';
import { TableCard } from './TableCard.tsx';
import { TablePager } from './TablePager.tsx';
import { TableToolbar } from './TableToolbar.tsx';
import { useTableAddress } from './table-address.ts';
import { readTableSettings, type TableSettings, writeTableSettings } from './table-settings.ts';
import { useSettled } from './useSettled.ts';
import { useTableModel } from './useTableModel.ts';

interface DataTableProps<T> {
  /** Names the table in local storage. */
  readonly id: string;
  /** Names it for a screen reader. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly getId: (item: T) => number;
  /** Buttons at the end of a row; a stable function. */
  readonly rowActions?: (item: T) => ReactNode;
  readonly actionsWidth?: number;
  /** Shown where there is nothing at all yet. */
  readonly empty: ReactNode;
  readonly toolbar?: ReactNode;
}

const pageSizes = [25, 50, 100];

export function DataTable<T>(props: DataTableProps<T>) {
  const { id, label, columns, items, getId, empty } = props;
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const { address, change } = useTableAddress();
  const defaults = defaultSettings(columns);
  const [settings, setSettings] = useState(() => readTableSettings(id, defaults));
  const keep = (next: TableSettings) => {
    setSettings(next);
    writeTableSettings(id, next);
  };
  const settled = useSettled(items, getId);
  const model = useTableModel({ columns, items: settled, address, settings });
  const live = new Map(items.map((item) => [getId(item), item]));
  const rows = model.rows.flatMap((row) => live.get(getId(row)) ?? []);
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
      {model.matching > 0 &&
        (isPhone === true ? (
          <Cards {...props} columns={model.columns} rows={rows} />
        ) : (
          <div className={styles.scroll}>
            <table className={styles.table} aria-label={label}>
              <thead>
                <tr>
                  {model.columns.map((column) => (
                    <HeaderCell key={column.key} column={column} sort={address.sort} change={change} />
                  ))}
                  {props.rowActions && <ActionsHeader width={props.actionsWidth ?? 44} />}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Row key={getId(row)} item={row} columns={model.columns} actions={props.rowActions} />
                ))}
              </tbody>
            </table>
          </div>
        ))}
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

function ActionsHeader({ width }: { width: number }) {
  const { t } = useLingui();
  return (
    <th className={styles.actions} style={{ width }}>
      <span className={styles.hidden}>{t`Actions`}</span>
    </th>
  );
}

interface RowProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
}

/** Drawn again only when its object has changed. */
const Row = memo(function Row<T>({ item, columns, actions }: RowProps<T>) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.key} className={column.isRight === true ? styles.right : undefined}>
          {column.cell(item)}
        </td>
      ))}
      {actions && <td className={styles.actions}>{actions(item)}</td>}
    </tr>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

function Cards<T>({ columns, rows, getId, rowActions, label }: DataTableProps<T> & { rows: readonly T[] }) {
  return (
    <ul className={styles.cards} aria-label={label}>
      {rows.map((row) => (
        <TableCard key={getId(row)} item={row} columns={columns} actions={rowActions} />
      ))}
    </ul>
  );
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
