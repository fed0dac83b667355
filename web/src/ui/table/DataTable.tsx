import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { EmptyState } from '../layout/EmptyState.tsx';
import { ColumnChooser } from './ColumnChooser.tsx';
import type { Column, Identified, StateFilter } from './column.ts';
import styles from './DataTable.module.css';
import { SearchField } from './SearchField.tsx';
import { SortField } from './SortField.tsx';
import { StateChips } from './StateChips.tsx';
import { TableCards, TableRows } from './TableGrid.tsx';
import { TablePager } from './TablePager.tsx';
import { useTableAddress } from './table-address.ts';
import { tableModel } from './table-model.ts';
import { useTableSettings } from './table-settings.ts';
import { useSettled } from './useSettled.ts';
import { useTableRoom } from './useTableRoom.ts';

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
  /** The states to filter by; a constant. */
  readonly states?: readonly StateFilter<T>[];
  /** Shown if there are no items at all. */
  readonly empty: ReactNode;
}

export function DataTable<T extends Identified>(props: DataTableProps<T>) {
  const { id, label, columns, items, empty, rowActions, actionsWidth = 44, states = [] } = props;
  const { i18n } = useLingui();
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const { address, change } = useTableAddress();
  const { shown, settings, chooser } = useTableSettings(id, columns);
  const { pageSize } = settings;
  const room = useTableRoom(frame, shown, rowActions ? actionsWidth : 0);
  const settled = useSettled(items);
  const model = tableModel({ columns, items: settled, address, states, i18n, pageSize });
  const live = new Map(items.map((item) => [item.id, item]));
  const rows = model.rows.flatMap((row) => live.get(row.id) ?? []);
  if (items.length === 0) return <div className={styles.frame}>{empty}</div>;
  const grid = { label, rows, ...(rowActions && { rowActions }) };
  const sorting = { sort: address.sort, change };
  return (
    <div ref={setFrame} className={styles.frame}>
      <div className={styles.toolbar}>
        <SearchField text={address.search} change={(search) => change({ search })} />
        {states.length > 0 && (
          <StateChips states={states} items={items} chosen={address.state} choose={(state) => change({ state })} />
        )}
        <div className={styles.toolbarEnd}>
          {room.isCards ? (
            <SortField columns={shown} sorting={sorting} />
          ) : (
            <ColumnChooser {...chooser} fitting={room.shown} />
          )}
        </div>
      </div>
      {model.matching === 0 ? (
        <NoneMatch isFiltered={address.state !== ''} onClear={() => change({ search: '', state: '' })} />
      ) : room.isCards ? (
        <TableCards {...grid} columns={shown} />
      ) : (
        <TableRows {...grid} columns={room.shown} sorting={sorting} actionsWidth={actionsWidth} />
      )}
      <TablePager
        matching={model.matching}
        total={items.length}
        page={address.page}
        pageSize={pageSize}
        change={change}
        onPageSize={(size) => chooser.keep({ ...settings, pageSize: size })}
      />
    </div>
  );
}

function NoneMatch({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title={isFiltered ? <Trans>Nothing matches the filters</Trans> : <Trans>Nothing matches the search</Trans>}
      action={
        <Button variant="default" onClick={onClear}>
          {isFiltered ? <Trans>Clear the filters</Trans> : <Trans>Clear the search</Trans>}
        </Button>
      }
    />
  );
}
