interface Place {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** Returns the address of the console if its port changes; undefined if it stays, or is not known. */
export function movedConsole(
  { protocol, hostname, port }: Place,
  ports: { readonly http: number; readonly https: number | null },
): string | undefined {
  const isSecure = protocol === 'https:';
  const present = Number(port) || (isSecure ? 443 : 80);
  const next = isSecure ? ports.https : ports.http;
  if (next === present || next === 0) return undefined;
  // HTTPS is off afterwards.
  if (next === null) return ports.http === 0 ? undefined : `http://${hostname}:${ports.http}/`;
  return `${protocol}//${hostname}:${next}/`;
}
