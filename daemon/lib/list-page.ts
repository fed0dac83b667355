/** One page of a list of named objects, sorted and filtered as the published calls define. */
import { fieldError } from './hub-error.ts';

export interface ListQuery {
  readonly start?: number | undefined;
  /** The whole list if absent, as published: there are limits to the objects themselves. */
  readonly count?: number | undefined;
  /** Part of the name. */
  readonly key?: string | undefined;
  readonly sort?: 'name' | undefined;
  readonly order?: 'ascending' | 'descending' | undefined;
}

export interface Page<T> {
  readonly start: number;
  /** Number of all matches. */
  readonly total: number;
  readonly list: T[];
}

interface Named {
  readonly id: number;
  readonly name: string;
}

let collator: Intl.Collator | undefined;

/** In the order of a dictionary, numbers by their value. Its tables take 5 MB, which a hub without lists does not need. */
export function byName(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}

/**
 * Without `sort` the list is in order of creation. An order without a sort is invalid; with a key both are ignored, as
 * published.
 */
export function pageOf<T extends Named>(rows: readonly T[], query: ListQuery): Page<T> {
  const { key = '', sort, order } = query;
  if (key === '' && order !== undefined && sort === undefined) {
    throw fieldError('order', 'needsSort', 'order requires sort=name');
  }
  const found = key === '' ? sorted(rows, sort, order) : matching(rows, key);
  return { ...windowOf(found, query.start, query.count ?? found.length), total: found.length };
}

/** Returns the rows from `start`; a start beyond the end is an empty page. */
export function windowOf<T>(
  rows: readonly T[],
  start: number | undefined,
  count: number,
): { start: number; list: T[] } {
  const from = Math.floor(start ?? 0);
  return { start: from, list: rows.slice(from, from + Math.floor(count)) };
}

function matching<T extends Named>(rows: readonly T[], key: string): T[] {
  const wanted = key.toLowerCase();
  return joined(rows.filter(({ name }) => name.toLowerCase().includes(wanted)));
}

function sorted<T extends Named>(rows: readonly T[], sort: ListQuery['sort'], order: ListQuery['order']): T[] {
  if (sort === undefined) return joined(rows);
  const sign = order === 'descending' ? -1 : 1;
  return rows.toSorted((a, b) => sign * byName(a.name, b.name) || a.id - b.id);
}

function joined<T extends Named>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => a.id - b.id);
}
