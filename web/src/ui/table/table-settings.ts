/** What somebody chose for one table, kept in this browser. */

/** Part of the key: settings of another shape are left alone rather than misread. */
const schemaVersion = 1;

export interface TableSettings {
  readonly hidden: readonly string[];
  /** Keys of all columns in their order; empty as long as nobody moved one. */
  readonly order: readonly string[];
  readonly pageSize: number;
}

const keyOf = (table: string) => `signalbox-table-${table}-v${schemaVersion}`;

export function readTableSettings(table: string, defaults: TableSettings): TableSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(table)) ?? 'null');
    return isTableSettings(stored) ? stored : defaults;
  } catch {
    // Forbidden storage or foreign text: the defaults serve.
    return defaults;
  }
}

export function writeTableSettings(table: string, settings: TableSettings): void {
  try {
    localStorage.setItem(keyOf(table), JSON.stringify(settings));
  } catch {
    // The choice then lasts as long as the page.
  }
}

function isTableSettings(value: unknown): value is TableSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { hidden, order, pageSize } = value as Partial<Record<keyof TableSettings, unknown>>;
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  return isTexts(hidden) && isTexts(order) && Number.isInteger(pageSize);
}
