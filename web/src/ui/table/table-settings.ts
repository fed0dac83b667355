/** The user's settings for one table, stored in this browser. */

/** Part of the storage key: settings in another format are ignored rather than misread. */
const schemaVersion = 1;

export interface TableSettings {
  readonly hidden: readonly string[];
  /** Keys of all columns in order; empty until a column is moved. */
  readonly order: readonly string[];
  readonly pageSize: number;
}

const keyOf = (table: string) => `signalbox-table-${table}-v${schemaVersion}`;

export function readTableSettings(table: string, defaults: TableSettings): TableSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(table)) ?? 'null');
    return isTableSettings(stored) ? stored : defaults;
  } catch {
    // Storage is blocked or its content is invalid: use the defaults.
    return defaults;
  }
}

export function writeTableSettings(table: string, settings: TableSettings): void {
  try {
    localStorage.setItem(keyOf(table), JSON.stringify(settings));
  } catch {
    // The choice then lasts only until the page is reloaded.
  }
}

function isTableSettings(value: unknown): value is TableSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { hidden, order, pageSize } = value as Partial<Record<keyof TableSettings, unknown>>;
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  return isTexts(hidden) && isTexts(order) && Number.isInteger(pageSize);
}
