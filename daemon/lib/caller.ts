/** The sender of an HTTP request: the peer of the connection or, if that is a trusted proxy, the client it names. */
import { isIP } from 'node:net';
import type { AddressRanges } from './address-ranges.ts';
import { plainAddress } from './local-network.ts';

interface Seen {
  /** IP address of the peer. */
  readonly peer: string;
  /** Whether the connection uses TLS. */
  readonly isTls: boolean;
  readonly headers: Headers;
}

export interface Caller {
  readonly ip: string;
  /** Whether the caller used TLS. */
  readonly isSecure: boolean;
}

/** Forwarding headers from peers other than trusted proxies are ignored, because the sender can forge them. */
export function callerOf({ peer, isTls, headers }: Seen, trusted: AddressRanges): Caller {
  if (!trusted.includes(peer)) return { ip: peer, isSecure: isTls };
  const protocol = headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase();
  return {
    ip: forwardedFor(peer, headers.get('x-forwarded-for') ?? '', trusted),
    isSecure: protocol === undefined ? isTls : protocol === 'https',
  };
}

/** Each proxy appends its peer, so only entries right of the first untrusted address come from trusted proxies. */
function forwardedFor(peer: string, header: string, trusted: AddressRanges): string {
  let ip = peer;
  for (const entry of header.split(',').reverse()) {
    const address = addressOf(entry.trim());
    if (address === undefined) break;
    ip = address;
    if (!trusted.includes(address)) break;
  }
  return ip;
}

/** Some proxies append the port to the address. */
function addressOf(entry: string): string | undefined {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  const address = plainAddress(v6 ?? v4 ?? entry);
  return isIP(address) === 0 ? undefined : address;
}
