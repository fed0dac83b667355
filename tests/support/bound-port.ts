/** Reads from the kernel whether a local port is bound: a trial connection would count as a peer. */
import { readFileSync } from 'node:fs';

const listenState = '0A';

export function isBound(kind: 'tcp' | 'udp', port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = [kind, `${kind}6`].flatMap((table) => readFileSync(`/proc/net/${table}`, 'latin1').split('\n'));
  return rows.some((row) => {
    const [, local, , state] = row.trim().split(/\s+/);
    return local?.endsWith(`:${hex}`) && (kind === 'udp' || state === listenState);
  });
}
