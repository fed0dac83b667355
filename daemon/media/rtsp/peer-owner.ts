/** Which user of this machine has the other end of a loopback connection. */
import { readFileSync } from 'node:fs';

const loopback = '0100007F';
const columns = { local: 1, remote: 2, uid: 7 } as const;

/** User id; undefined when there is no such connection over 127.0.0.1 (any longer). */
export function peerOwner(ownPort: number, peerPort: number): number | undefined {
  const [own, peer] = [end(ownPort), end(peerPort)];
  for (const line of readFileSync('/proc/self/net/tcp', 'latin1').split('\n')) {
    const fields = line.trim().split(/\s+/);
    // Seen from the other end.
    if (fields[columns.local] === peer && fields[columns.remote] === own) return Number(fields[columns.uid]);
  }
  return undefined;
}

const end = (port: number) => `${loopback}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
