/** The user's settings for one table, stored in this browser. */
import { useMemo, useState } from 'react';
import type { Column } from './column.ts';
import { orderedColumns, type TableSettings } from './column-choice.ts';

/** Part of the storage key: settings in another format are ignored rather than misread. */
const schemaVersion = 1;

/** Page sizes to choose from, and the one until then. */
export const pageSizes = [25, 50, 100] as const;
const defaultPageSize = 50;

/** The columns as chosen, in order, and what the chooser needs. */
export function useTableSettings<T>(table: string, columns: readonly Column<T>[]) {
  const defaults = useMemo(() => defaultsOf(columns), [columns]);
  const [settings, setSettings] = useState(() => readTableSettings(table, defaults));
  const shown = useMemo(
    () => orderedColumns(columns, settings).filter(({ key }) => !settings.hidden.includes(key)),
    [columns, settings],
  );
  const keep = (next: TableSettings) => {
    setSettings(next);
    writeTableSettings(table, next);
  };
  return { shown, settings, chooser: { columns, settings, defaults, keep } };
}

function defaultsOf<T>(columns: readonly Column<T>[]): TableSettings {
  const hidden = columns.filter((column) => column.isOptional === true).map((column) => column.key);
  return { hidden, order: [], pageSize: defaultPageSize };
}

const keyOf = (table: string) => `signalbox-table-${table}-v${schemaVersion}`;

function readTableSettings(table: string, defaults: TableSettings): TableSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(table)) ?? 'null');
    return isTableSettings(stored) ? stored : defaults;
  } catch {
    // Storage is blocked or its content is invalid: use the defaults.
    return defaults;
  }
}

function writeTableSettings(table: string, settings: TableSettings): void {
  try {
    localStorage.setItem(keyOf(table), JSON.stringify(settings));
  } catch {
    // The choice then lasts only until the page is reloaded.
  }
}

function isTableSettings(value: unknown): value is TableSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { hidden, order, pageSize, view } = value as Partial<Record<keyof TableSettings, unknown>>;
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  return (
    isTexts(hidden) &&
    isTexts(order) &&
    Number.isInteger(pageSize) &&
    [undefined, 'list', 'cards'].includes(view as string)
  );
}
