/** Groups of devices as a tree. */
import type { DeviceGroup } from '../../../../daemon/contract/device-groups.ts';

export interface GroupNode {
  readonly group: DeviceGroup;
  /** From 1. */
  readonly depth: number;
  readonly children: readonly GroupNode[];
}

/** Returns the top groups with what is in them, each level by name. Groups whose parent is unknown are at the top. */
export function groupTree(groups: readonly DeviceGroup[], compare: (a: string, b: string) => number): GroupNode[] {
  const real = groups.filter(({ id }) => id !== 0);
  const known = new Set(real.map(({ id }) => id));
  const parentOf = (group: DeviceGroup) => (known.has(group['parent-id']) ? group['parent-id'] : 0);
  const seen = new Set<number>();
  const below = (parent: number, depth: number): GroupNode[] =>
    real
      .filter((group) => parentOf(group) === parent && !seen.has(group.id))
      .toSorted((a, b) => compare(a.name, b.name))
      .map((group) => {
        seen.add(group.id);
        return { group, depth, children: below(group.id, depth + 1) };
      });
  return below(0, 1);
}

/** The same from top to bottom, without what is in the given closed groups. */
export function flatTree(nodes: readonly GroupNode[], closed: ReadonlySet<number> = new Set()): GroupNode[] {
  return nodes.flatMap((node) => [node, ...(closed.has(node.group.id) ? [] : flatTree(node.children, closed))]);
}

/** Ids of the group and of all groups in it. */
export function idsWithin(nodes: readonly GroupNode[], id: number): Set<number> {
  const found = flatTree(nodes).find(({ group }) => group.id === id);
  return new Set(found === undefined ? [id] : flatTree([found]).map(({ group }) => group.id));
}
