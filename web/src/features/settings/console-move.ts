/** What a change of the web ports means for the page that makes it. */

export interface WebPorts {
  readonly httpPort: number;
  readonly isHttps: boolean;
  readonly httpsPort: number;
}

/** The parts of `location` that matter here. */
export interface PagePlace {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/**
 * `stays`: the page goes on where it is. `moves`: its address goes, the console answers at another one. `unknown`:
 * ports go, and the page came in through something in between, so nobody here knows which one it needs.
 */
export type ConsoleMove =
  | { readonly kind: 'stays' }
  | { readonly kind: 'moves'; readonly to: string }
  | { readonly kind: 'unknown' };

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export function consoleMove(page: PagePlace, now: WebPorts, next: WebPorts): ConsoleMove {
  const port = page.port === '' ? usualPorts[page.protocol] : Number(page.port);
  const httpStays = next.httpPort === now.httpPort;
  const httpsStays = !now.isHttps || (next.isHttps && next.httpsPort === now.httpsPort);
  if (page.protocol === 'http:' && port === now.httpPort) {
    return httpStays ? { kind: 'stays' } : { kind: 'moves', to: addressOf('http:', page.hostname, next.httpPort) };
  }
  if (page.protocol === 'https:' && now.isHttps && port === now.httpsPort) {
    if (httpsStays) return { kind: 'stays' };
    return { kind: 'moves', to: next.isHttps ? secure(page, next) : addressOf('http:', page.hostname, next.httpPort) };
  }
  return { kind: httpStays && httpsStays ? 'stays' : 'unknown' };
}

/** Where the console answers on the host that this page was loaded from. */
export function consoleAddresses(page: PagePlace, ports: WebPorts): string[] {
  const plain = addressOf('http:', page.hostname, ports.httpPort);
  return ports.isHttps ? [plain, secure(page, ports)] : [plain];
}

function secure(page: PagePlace, { httpsPort }: WebPorts): string {
  return addressOf('https:', page.hostname, httpsPort);
}

function addressOf(protocol: 'http:' | 'https:', hostname: string, port: number): string {
  return `${protocol}//${hostname}${port === usualPorts[protocol] ? '' : `:${port}`}/`;
}
