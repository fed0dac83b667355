/** Traffic of the ports while a page shows it: the hub keeps no history of it. */
import { create } from 'zustand';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';

export interface Traffic {
  /** Kilobits per second, the newest last. */
  readonly received: readonly number[];
  readonly sent: readonly number[];
}

/** About two minutes. */
const kept = 120;
const none: Traffic = { received: [], sent: [] };

const useHistory = create<{ readonly ports: Readonly<Record<string, Traffic>> }>(() => ({ ports: {} }));

/** Adds what the ports transfer now. */
export function recordTraffic(ports: readonly Pick<NetworkPort, 'port' | 'rx-kbps' | 'tx-kbps'>[]): void {
  useHistory.setState(({ ports: before }) => ({
    ports: Object.fromEntries(
      ports.map(({ port, 'rx-kbps': received, 'tx-kbps': sent }) => {
        const known = before[port] ?? none;
        return [port, { received: added(known.received, received), sent: added(known.sent, sent) }];
      }),
    ),
  }));
}

export function useTraffic(port: string): Traffic {
  return useHistory(({ ports }) => ports[port]) ?? none;
}

function added(values: readonly number[], value: number): number[] {
  return [...values, value].slice(-kept);
}
