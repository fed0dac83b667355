/** Addresses of the peers of the engine's listeners, and how they are shown and limited. */
import { addressRanges } from '../../lib/address-ranges.ts';
import { callerOf } from '../../lib/caller.ts';
import { networkOf, plainAddress } from '../../lib/local-network.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';

export type Callers = ReturnType<typeof createCallers>;

export function createCallers() {
  let trusted = addressRanges([]);
  return {
    /** Replaces the list of proxies whose X-Forwarded-For is believed. */
    trust(proxies: readonly string[]) {
      trusted = addressRanges(proxies);
    },
    /** Returns the address that sent this request. */
    ofRequest: ({ headers }: Request, peerAddress: string) =>
      callerOf({ peer: plainAddress(peerAddress), isTls: false, headers }, trusted).ip,
    /**
     * Returns the key under which per-address limits count. Undefined if no limit applies: programs on this machine and
     * trusted proxies may act for any number of others.
     */
    boundKey: (address: string) => (isLoopback(address) || trusted.includes(address) ? undefined : networkOf(address)),
  };
}

/** Returns the peer of a socket as lists and logs show it. */
export function peerName({ remoteAddress, remotePort }: { remoteAddress: string; remotePort: number }): string {
  const address = plainAddress(remoteAddress);
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}
