/** Effect of a change of the web ports on the page that makes it. */

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
 * `stays`: the address of the page does not change. `moves`: the console is served at another address. `unknown`: ports
 * change, but the page was loaded through an intermediary, so the port that it needs is not known here.
 */
type ConsoleMove =
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

/** Whether this page was loaded from one of these ports. */
export function isServedAt(page: PagePlace, { httpPort, isHttps, httpsPort }: WebPorts): boolean {
  const port = page.port === '' ? usualPorts[page.protocol] : Number(page.port);
  return page.protocol === 'https:' ? isHttps && port === httpsPort : port === httpPort;
}

/** Addresses of the console on the host from which this page was loaded. */
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
