/** Requests of browsers and responses of devices, on the ports of their web pages. */
import { createCookieJar } from '../../../daemon/features/device-console/cookie-jar.ts';
import { checkRequest, requestHeaders, responseHeaders } from '../../../daemon/features/device-console/header-rules.ts';
import {
  MessageFault,
  readRequest,
  readResponse,
  requestFraming,
  responseFraming,
  valuesOf,
  writeHead,
} from '../../../daemon/features/device-console/http-message.ts';
import { allow, type FuzzTarget, parser } from '../target.ts';

const page = { scheme: 'https', authority: 'hub:8071' } as const;
const device = { scheme: 'http', authority: '192.168.1.20' } as const;
const requests = [
  'GET /a/b?x=%2e HTTP/1.1\r\nHost: hub:8071\r\nCookie: a=b; c=d\r\nConnection: keep-alive, x-a\r\nX-A: 1',
  'POST /ws HTTP/1.1\r\nHost: hub:8071\r\nOrigin: https://hub:8071\r\nTransfer-Encoding: chunked\r\nReferer: https://hub:8071/x',
  'PUT //x HTTP/1.1\r\nHost: hub:8071\r\nContent-Length: 12\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-Fetch-Site: none',
];
const responses = [
  'HTTP/1.1 302 Found\r\nLocation: //192.168.1.20/x\r\nSet-Cookie: a=b; Path=/; Max-Age=3\r\nContent-Length: 0',
  'HTTP/1.0 200 OK\nTransfer-Encoding: chunked\nContent-Security-Policy: default-src *; report-uri /x\nExpires: 0',
];

const text = (input: Uint8Array) => Buffer.from(input).toString('latin1');
const headOf = (bytes: Uint8Array) => text(bytes).slice(0, -4);

export const consoleTargets: readonly FuzzTarget[] = [
  parser(
    'device-console-request',
    600,
    () => requests.map((request) => Buffer.from(request)),
    (input) =>
      allow([MessageFault], () => {
        const request = readRequest(text(input));
        requestFraming(request);
        checkRequest(request, page);
        const passed = requestHeaders(request.headers, page, device, '');
        // What the device reads is what was meant.
        const again = readRequest(headOf(writeHead(`${request.method} ${request.target} HTTP/1.1`, passed)));
        if (JSON.stringify(again.headers) !== JSON.stringify(passed) || again.target !== request.target) {
          throw new Error('the device would read another request');
        }
        return passed;
      }),
  ),
  parser(
    'device-console-response',
    600,
    () => responses.map((response) => Buffer.from(response)),
    (input) =>
      allow([MessageFault], () => {
        const response = readResponse(text(input));
        const jar = createCookieJar(() => 0);
        for (const line of valuesOf(response.headers, 'set-cookie')) jar.set(line, '/a/b');
        const passed = responseHeaders(response.headers, page, device, '/a/b');
        const again = readResponse(headOf(writeHead(`HTTP/1.1 ${response.status} OK`, passed)));
        if (JSON.stringify(again.headers) !== JSON.stringify(passed))
          throw new Error('the browser would read another one');
        return [responseFraming(response, 'GET'), jar.header('/a/b'), passed];
      }),
  ),
];
