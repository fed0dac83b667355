/**
 * What passes between a browser and the page of a device. Both lists name what may pass; everything else stays behind:
 * credentials of the hub, headers that proxies trust, and headers by which a page could affect the hub or the browser
 * beyond itself.
 */
import {
  type Header11,
  type Headers11,
  headerOf,
  listOf,
  MessageFault,
  type RequestHead,
  valuesOf,
} from './http-message.ts';

/** Where the device believes itself to be: what it gets as `Host`. */
export interface DevicePlace {
  readonly scheme: 'http' | 'https';
  /** Host, and port unless it is the usual one. */
  readonly authority: string;
  /** Further addresses by which it may name itself, with the same port or the usual one. */
  readonly hosts?: readonly string[];
}

/** The origin of the page in the browser. */
export interface PageOrigin {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
}

const requestNames = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'content-encoding'],
  ...['content-language', 'content-type', 'if-match', 'if-modified-since', 'if-none-match', 'if-range'],
  ...['if-unmodified-since', 'pragma', 'range', 'soapaction', 'token', 'user-agent'],
]);
const responseNames = new Set([
  ...['accept-ranges', 'age', 'allow', 'content-disposition', 'content-encoding', 'content-language'],
  ...['content-range', 'content-type', 'date', 'etag', 'expires', 'last-modified', 'retry-after', 'token', 'vary'],
  ...['www-authenticate'],
]);
/** Headers of a device's own scripts begin with `x-`, and so do those that proxies and browsers act on. */
const reservedExtensions =
  /^x-(forwarded|real-|original|rewrite|client-|cluster|remote|http-|host|proxy|signalbox|frame|content-type|content-sec|webkit|sourcemap|dns|permitted|accel|sendfile)/;
const isExtension = (name: string) => name.startsWith('x-') && !reservedExtensions.test(name);

/** What the page of a device may load and reach: only itself. Its own policy applies as well. */
function policyOf({ authority }: PageOrigin): string {
  const own = `'self' data: blob:`;
  return [
    `default-src ${own} 'unsafe-inline' 'unsafe-eval'`,
    `connect-src ${own} ws://${authority} wss://${authority}`,
    `form-action 'self'`,
    `frame-ancestors 'self'`,
    `base-uri 'self'`,
    `object-src 'self'`,
  ].join('; ');
}

const added = new WeakMap<PageOrigin, Headers11>();

/** Every response on the port of consoles has these. */
export function addedHeaders(page: PageOrigin): Headers11 {
  const known = added.get(page);
  if (known !== undefined) return known;
  const made = headersFor(page);
  added.set(page, made);
  return made;
}

function headersFor(page: PageOrigin): Headers11 {
  return [
    ['content-security-policy', policyOf(page)],
    // The browser keeps nothing: another device may have this origin tomorrow.
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'SAMEORIGIN'],
    ['referrer-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
    // Over plain HTTP, browsers ignore it and report it as an error of the page.
    ...(page.scheme === 'https' ? ([['cross-origin-opener-policy', 'same-origin']] as const) : []),
  ];
}

/** Throws a MessageFault for a request that no page of this origin makes, or that is not safe to pass on. */
export function checkRequest({ method, target, headers }: RequestHead, page: PageOrigin): void {
  const site = headerOf(headers, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new MessageFault(403, 'requests from pages of other origins are not forwarded');
  }
  const origins = valuesOf(headers, 'origin');
  const isOwn = origins.length === 1 && origins[0] === originOf(page);
  if (origins.length > 0 && !isOwn) {
    throw new MessageFault(403, 'requests from pages of other origins are not forwarded');
  }
  if (isWebSocket(headers)) {
    if (!isOwn || method !== 'GET') throw new MessageFault(403, 'a WebSocket must be opened by a page of this origin');
  } else if (headerOf(headers, 'upgrade') !== undefined)
    throw new MessageFault(400, 'only upgrades to WebSocket are supported');
  // It would stay in the browser, and see the pages of whatever device has this origin next.
  if (headerOf(headers, 'service-worker') !== undefined)
    throw new MessageFault(403, 'service workers are not supported');
  checkPath(target);
}

/** Refuses what the hub and the device could take for different paths. */
function checkPath(target: string): void {
  const [path = ''] = target.split('?');
  const isUnclear = /%2f|%5c|\\|%00/i.test(path);
  const segments = path.replaceAll(/%2e/gi, '.').split('/');
  if (isUnclear || segments.includes('..') || segments.includes('.')) {
    throw new MessageFault(400, 'the path has dot segments or encoded characters that are not allowed');
  }
}

export function isWebSocket(headers: Headers11): boolean {
  return listOf(headers, 'upgrade').includes('websocket') && listOf(headers, 'connection').includes('upgrade');
}

export const originOf = ({ scheme, authority }: PageOrigin | DevicePlace): string => `${scheme}://${authority}`;

/** The headers that the device gets, without those about the body. `cookie`: '' for none. */
export function requestHeaders(headers: Headers11, page: PageOrigin, device: DevicePlace, cookie: string): Headers11 {
  const passed: Header11[] = [['host', device.authority], ...passing(headers, requestNames)];
  if (headerOf(headers, 'origin') !== undefined) passed.push(['origin', originOf(device)]);
  const referer = headerOf(headers, 'referer');
  const own = referer === undefined ? undefined : pathOfReferer(referer, page);
  // As the device would get it from a page of its own: some compare it with their address.
  if (own !== undefined) passed.push(['referer', `${originOf(device)}/${own}`]);
  if (cookie !== '') passed.push(['cookie', cookie]);
  return passed;
}

/** The headers that this list or the form of their name lets pass, without those that concern this connection only. */
function passing(headers: Headers11, names: ReadonlySet<string>): Header11[] {
  const ofConnection = listOf(headers, 'connection');
  return headers.filter(([name]) => (names.has(name) || isExtension(name)) && !ofConnection.includes(name));
}

/** Without the first slash; undefined for another origin. */
function pathOfReferer(referer: string, page: PageOrigin): string | undefined {
  const own = `${originOf(page)}/`;
  return referer.startsWith(own) ? referer.slice(own.length) : undefined;
}

/** Headers of the handshake of a WebSocket, without extensions: neither end compresses. */
export function webSocketHeaders(headers: Headers11): Headers11 {
  const key = valuesOf(headers, 'sec-websocket-key');
  const version = valuesOf(headers, 'sec-websocket-version');
  if (key.length !== 1 || !/^[A-Za-z0-9+/]{22}==$/.test(key[0] ?? '') || version.join() !== '13') {
    throw new MessageFault(400, 'the handshake of the WebSocket is not valid');
  }
  const protocols = valuesOf(headers, 'sec-websocket-protocol').join(', ');
  return [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-key', key[0] ?? ''],
    ['sec-websocket-version', '13'],
    ...(protocols === '' ? [] : ([['sec-websocket-protocol', protocols]] as const)),
  ];
}

/**
 * The headers that the browser gets, without those about the body. Throws a MessageFault for a redirect to anywhere but
 * the device itself. Cookies stay in the hub (`cookie-jar.ts`).
 */
export function responseHeaders(headers: Headers11, page: PageOrigin, device: DevicePlace, target: string): Header11[] {
  const passed = passing(headers, responseNames);
  for (const policy of valuesOf(headers, 'content-security-policy')) {
    passed.push(['content-security-policy', withoutReports(policy)]);
  }
  const location = headerOf(headers, 'location');
  if (location !== undefined) passed.push(['location', locationIn(location, page, device, target)]);
  return passed.concat(addedHeaders(page));
}

function isItself(url: URL, device: DevicePlace): boolean {
  const { protocol, host, port } = new URL(originOf(device));
  if (url.protocol !== protocol) return false;
  return url.host === host || (device.hosts?.includes(url.hostname) === true && ['', port].includes(url.port));
}

/** A browser would send the reports to wherever the device says. */
function withoutReports(policy: string): string {
  const kept = policy.split(';').filter((directive) => !/^\s*report-/i.test(directive));
  return kept.join(';');
}

function locationIn(location: string, page: PageOrigin, device: DevicePlace, target: string): string {
  // Of the target, only the path matters; it may begin with two slashes.
  const url = URL.parse(location, URL.parse(originOf(device) + target)?.href);
  if (url === null || !isItself(url, device)) {
    throw new MessageFault(502, 'the device redirects to another address, which is not followed');
  }
  return originOf(page) + url.pathname + url.search + url.hash;
}
