/** The lines of one axis of the matrix: objects by group, with headings, folded groups and a filter. */

export interface AxisItem {
  readonly id: number;
  /** '' for none. */
  readonly group: string;
  /** What the filter searches. */
  readonly words: string;
}

export interface AxisGroup {
  readonly name: string;
  readonly count: number;
  readonly isFolded: boolean;
}

/** `none`: the crosspoint that clears an output. `group`: the heading of a group, or the line of a folded group. */
export type Line =
  | { readonly kind: 'none' }
  | { readonly kind: 'item'; readonly id: number }
  | { readonly kind: 'group'; readonly group: AxisGroup };

/** The range of lines with the items of a group, without the heading. */
export interface Span {
  readonly group: AxisGroup;
  readonly from: number;
  readonly to: number;
}

export interface Axis {
  readonly lines: readonly Line[];
  /** Empty if no item has a group. */
  readonly spans: readonly Span[];
  /** Line of each item that is shown. */
  readonly at: ReadonlyMap<number, number>;
}

interface AxisOptions {
  readonly folded: ReadonlySet<string>;
  /** Opens folded groups that have a match. */
  readonly filter: string;
  readonly hasNone: boolean;
  /** Whether an open group has a line of its own, too. */
  readonly hasHeadings: boolean;
}

/** Groups are in the order of their first item; items without a group are last. */
export function axisOf(items: readonly AxisItem[], { folded, filter, hasNone, hasHeadings }: AxisOptions): Axis {
  const wanted = filter.trim().toLocaleLowerCase().split(/\s+/);
  const isWanted = ({ words }: AxisItem) => {
    const text = words.toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const shown = items.filter(isWanted);
  const lines: Line[] = hasNone ? [{ kind: 'none' }] : [];
  const spans: Span[] = [];
  const addItems = (list: readonly AxisItem[]) => {
    for (const { id } of list) lines.push({ kind: 'item', id });
  };
  const byGroup = Map.groupBy(shown, ({ group }) => group);
  const ungrouped = byGroup.get('') ?? [];
  byGroup.delete('');
  const isGrouped = items.some(({ group }) => group !== '');
  if (!isGrouped) addItems(ungrouped);
  else {
    for (const [name, list] of ungrouped.length > 0 ? [...byGroup, ['', ungrouped] as const] : byGroup) {
      const isFolded = folded.has(name) && filter.trim() === '';
      const group = { name, count: list.length, isFolded };
      const first = lines.length;
      if (isFolded || hasHeadings) lines.push({ kind: 'group', group });
      const from = isFolded ? first : lines.length;
      if (!isFolded) addItems(list);
      spans.push({ group, from, to: lines.length });
    }
  }
  const at = new Map<number, number>();
  lines.forEach((line, index) => {
    if (line.kind === 'item') at.set(line.id, index);
  });
  return { lines, spans, at };
}
