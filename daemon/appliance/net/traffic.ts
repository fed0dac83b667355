import type { Traffic } from './port.ts';

/** Reads `/proc/net/dev`: by interface, bytes are the first number for receiving, and the ninth for sending. */
export function parseTraffic(table: string): Map<string, Traffic> {
  return new Map(
    table.split('\n').flatMap((line) => {
      const [, name, numbers] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
      const [rxBytes, , , , , , , , txBytes] = (numbers ?? '').split(/\s+/).map(Number);
      const isRow = name !== undefined && rxBytes !== undefined && txBytes !== undefined;
      return isRow ? [[name, { rxBytes, txBytes }] as const] : [];
    }),
  );
}
