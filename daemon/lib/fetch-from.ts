/** HTTP requests to an address that is already resolved. */

type Init = Omit<BunFetchRequestInit, 'headers' | 'tls'> & { readonly headers: Readonly<Record<string, string>> };

/** Like `fetch`, but connects to `address`. `Host` and the name in the certificate remain those of the URL. */
export function fetchFrom(address: string, url: string, init: Init): Promise<Response> {
  const target = new URL(url);
  const { host, hostname } = target;
  target.hostname = address.includes(':') ? `[${address}]` : address;
  const isName = hostname !== target.hostname;
  return fetch(target.href, {
    ...init,
    headers: { ...init.headers, host },
    ...(isName && { tls: { serverName: hostname } }),
  });
}

/** The TCP port of an HTTP URL. */
export function httpPortOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
