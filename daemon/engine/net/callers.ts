/** Addresses of the peers of the engine's listeners. */
import { addressRanges } from '../../lib/address-ranges.ts';
import { callerOf } from '../../lib/caller.ts';
import { networkOf, plainAddress } from '../../lib/local-network.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';

export interface Callers {
  /** Replaces the list of proxies whose X-Forwarded-For is believed. */
  trust(proxies: readonly string[]): void;
  /** Returns the address that sent this request. */
  ofRequest(request: Request, peerAddress: string): string;
  /**
   * Returns the key under which per-address limits count. Undefined if no limit applies: programs on this machine and
   * trusted proxies may act for any number of others.
   */
  boundKey(address: string): string | undefined;
}

export function createCallers(): Callers {
  let trusted = addressRanges([]);
  return {
    trust(proxies) {
      trusted = addressRanges(proxies);
    },
    ofRequest: ({ headers }, peerAddress) =>
      callerOf({ peer: plainAddress(peerAddress), isTls: false, headers }, trusted).ip,
    boundKey: (address) => (isLoopback(address) || trusted.includes(address) ? undefined : networkOf(address)),
  };
}
