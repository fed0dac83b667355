import type { Column } from './column.ts';

export interface TableSettings {
  readonly hidden: readonly string[];
  /** Keys of all columns in order; empty until a column is moved. */
  readonly order: readonly string[];
  readonly pageSize: number;
  /** As chosen; absent until then, when the width of the screen decides. */
  readonly view?: TableView;
}

export type TableView = 'list' | 'cards';

/** Columns in the chosen order; columns unknown to the stored choice, from a newer version, come last. */
export function orderedColumns<T>(columns: readonly Column<T>[], { order }: TableSettings): Column<T>[] {
  const place = (column: Column<T>) => {
    const at = order.indexOf(column.key);
    return at === -1 ? order.length : at;
  };
  return columns.toSorted((a, b) => place(a) - place(b));
}

export function toggleColumn(settings: TableSettings, key: string): TableSettings {
  const hidden = settings.hidden.includes(key)
    ? settings.hidden.filter((other) => other !== key)
    : [...settings.hidden, key];
  return { ...settings, hidden };
}

export function moveColumn<T>(
  columns: readonly Column<T>[],
  settings: TableSettings,
  { key, by }: { key: string; by: -1 | 1 },
): TableSettings {
  const order = orderedColumns(columns, settings).map((column) => column.key);
  const from = order.indexOf(key);
  const to = from + by;
  if (from === -1 || to < 0 || to >= order.length) return settings;
  order.splice(from, 1);
  order.splice(to, 0, key);
  return { ...settings, order };
}
