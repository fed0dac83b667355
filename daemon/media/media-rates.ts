import type { MediaStatus } from './port.ts';
import { ownClients } from './protocol/reported.ts';

/** Returns the bitrates of all channels in Mbit/s; null while they are unknown. */
export function mediaRates({ engine, channels }: MediaStatus): { in: number; out: number } | null {
  if (engine !== 'running') return null;
  const sum = { in: 0, out: 0 };
  for (const { input, outputs, clients } of channels.values()) {
    sum.in += input.kbps / 1000;
    for (const connection of [...outputs, ...ownClients(clients)]) sum.out += connection.kbps / 1000;
  }
  return sum;
}
