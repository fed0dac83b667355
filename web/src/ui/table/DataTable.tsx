import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { usePhone } from '../../lib/screen.ts';
import { EmptyState } from '../layout/EmptyState.tsx';
import type BulkBarPart from './BulkBar.tsx';
import type { BulkAct } from './bulk.ts';
import { ColumnChooser } from './ColumnChooser.tsx';
import type { Column, Named, StateFilter } from './column.ts';
import styles from './DataTable.module.css';
import { SearchField } from './SearchField.tsx';
import { SortField } from './SortField.tsx';
import { StateChips } from './StateChips.tsx';
import type { CardTop } from './TableCard.tsx';
import { TableCards, TableRows } from './TableGrid.tsx';
import { TablePager } from './TablePager.tsx';
import { useTableAddress } from './table-address.ts';
import { searched, tableModel } from './table-model.ts';
import { useTableSettings } from './table-settings.ts';
import { useSelection } from './useSelection.ts';
import { useSettled } from './useSettled.ts';
import { useTableRoom } from './useTableRoom.ts';
import { ViewSwitch } from './ViewSwitch.tsx';

const none: readonly never[] = [];

const BulkBar = deferredPart(() => import('./BulkBar.tsx')) as typeof BulkBarPart;

/** Of the column of check boxes, in pixels. */
const selectWidth = 44;

interface DataTableProps<T extends Named> {
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
  /** Shown at the top of cards; with it, the user may choose cards at any width. */
  readonly cardTop?: CardTop<T>;
  /** Acts on chosen rows; a constant. Without any, rows can't be chosen. */
  readonly bulk?: readonly BulkAct<T>[];
  /** One more filter, beside the search. */
  readonly filter?: ReactNode;
  /** Shown if there are no items at all. */
  readonly empty: ReactNode;
}

export function DataTable<T extends Named>(props: DataTableProps<T>) {
  const { id, label, columns, items, empty, filter, rowActions, actionsWidth = 44, cardTop } = props;
  const { states = none, bulk = none } = props;
  const { i18n } = useLingui();
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const { address, change } = useTableAddress();
  const { shown, settings, chooser } = useTableSettings(id, columns);
  const { pageSize } = settings;
  const hasBulk = bulk.length > 0;
  const room = useTableRoom(frame, shown, {
    reserved: (rowActions ? actionsWidth : 0) + (hasBulk ? selectWidth : 0),
    view: settings.view,
  });
  const isPhone = usePhone();
  const settled = useSettled(items);
  const { locale } = i18n;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the locale stands for the texts of i18n
  const model = useMemo(
    () => tableModel({ columns, items: settled, address, states, i18n, pageSize }),
    [columns, settled, address, states, locale, pageSize],
  );
  const { search } = address;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const found = useMemo(() => searched({ columns, items: settled, search, i18n }), [columns, settled, search, locale]);
  const live = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const rows = model.rows.flatMap((row) => live.get(row.id) ?? []);
  const selection = useSelection(rows);
  const selected = model.matchingIds.filter((one) => selection.ids.has(one)).flatMap((one) => live.get(one) ?? []);
  const [hasSelected, setSelected] = useState(false);
  if (selected.length > 0 && !hasSelected) setSelected(true);
  if (items.length === 0) return <div className={styles.frame}>{empty}</div>;
  const grid = { label, rows, ...(rowActions && { rowActions }), ...(hasBulk && { selection }) };
  const sorting = { sort: address.sort, change };
  return (
    <div ref={setFrame} className={styles.frame}>
      <div className={styles.toolbar}>
        <SearchField text={address.search} change={(search) => change({ search })} />
        {filter}
        {states.length > 0 && (
          <StateChips
            states={states}
            items={search === '' ? items : found}
            chosen={address.state}
            choose={(state) => change({ state })}
          />
        )}
        <div className={styles.toolbarEnd}>
          {cardTop && !isPhone && (
            <ViewSwitch view={room.isCards ? 'cards' : 'list'} choose={(view) => chooser.keep({ ...settings, view })} />
          )}
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
        <TableCards {...grid} columns={shown} cardTop={cardTop} />
      ) : (
        <TableRows
          {...grid}
          columns={room.shown}
          sorting={sorting}
          actionsWidth={actionsWidth}
          all={model.matchingIds}
        />
      )}
      {hasSelected && <BulkBar acts={bulk} selected={selected} select={selection.set} />}
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
