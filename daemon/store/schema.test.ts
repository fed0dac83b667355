import { expect, test } from 'bun:test';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { memoryDatabase } from './memory-database-for-test.ts';
import * as schema from './schema.ts';

const tables = Object.values(schema).filter((value) => value instanceof SQLiteTable);
const db = memoryDatabase();

interface ColumnRow {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

// The text index and the tables that SQLite keeps it in are not part of the schema.
test('a migrated database has exactly the tables of schema.ts', () => {
  const rows = db.$client
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'operation_text%'",
    )
    .all();
  const desired = tables.map((table) => getTableConfig(table).name);
  expect(rows.map((row) => row.name).toSorted()).toEqual(desired.toSorted());
});

for (const table of tables) {
  const config = getTableConfig(table);

  test(`${config.name} has the columns of schema.ts`, () => {
    const rows = db.$client.query<ColumnRow, []>(`PRAGMA table_info(${config.name})`).all();
    const found = rows.map(({ name, type, notnull, pk }) => ({
      name,
      type: type.toLowerCase(),
      notNull: notnull === 1,
      primary: pk > 0,
    }));
    const keys = new Set(config.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name)));
    const desired = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      notNull: column.notNull,
      primary: column.primary || keys.has(column.name),
    }));
    expect(found).toEqual(desired);
  });

  test(`${config.name} has the indexes and unique columns of schema.ts`, () => {
    const indexes = db.$client
      .query<{ name: string; unique: number; origin: string }, []>(`PRAGMA index_list(${config.name})`)
      .all();
    const made = indexes.filter((index) => index.origin === 'c').map(({ name, unique }) => ({ name, unique }));
    const desired = config.indexes.map(({ config: { name, unique } }) => ({ name, unique: unique ? 1 : 0 }));
    expect(made).toEqual(expect.arrayContaining(desired));
    expect(made).toHaveLength(desired.length);
    const uniqueColumns = indexes
      .filter((index) => index.origin === 'u')
      .map((index) => db.$client.query<{ name: string }, []>(`PRAGMA index_info(${index.name})`).get()?.name);
    const desiredColumns = config.columns.filter((column) => column.isUnique).map((column) => column.name);
    expect(uniqueColumns.toSorted()).toEqual(desiredColumns.toSorted());
  });

  test(`${config.name} has the references of schema.ts`, () => {
    const rows = db.$client
      .query<{ table: string; from: string; to: string; on_delete: string }, []>(
        `PRAGMA foreign_key_list(${config.name})`,
      )
      .all();
    const found = rows.map((row) => `${row.from} ${row.table}.${row.to} ${row.on_delete.toLowerCase()}`);
    const desired = config.foreignKeys.map((key) => {
      const { columns, foreignTable, foreignColumns } = key.reference();
      const target = `${getTableConfig(foreignTable).name}.${foreignColumns[0]?.name}`;
      return `${columns[0]?.name} ${target} ${key.onDelete ?? 'no action'}`;
    });
    expect(found.toSorted()).toEqual(desired.toSorted());
  });
}
