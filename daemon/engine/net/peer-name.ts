import { plainAddress } from '../../lib/local-network.ts';

/** The peer of a socket, as lists and logs show it. */
export interface PeerAddress {
  readonly remoteAddress: string;
  readonly remotePort: number;
}

export function peerName({ remoteAddress, remotePort }: PeerAddress): string {
  const address = plainAddress(remoteAddress);
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}
