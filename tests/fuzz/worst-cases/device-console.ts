/** Heads of messages on the ports of the web pages of devices, from browsers and from hostile devices. */
import { createCookieJar } from '../../../daemon/features/device-console/cookie-jar.ts';
import { checkRequest, requestHeaders, responseHeaders } from '../../../daemon/features/device-console/header-rules.ts';
import {
  maxHeadBytes,
  readRequest,
  readResponse,
  valuesOf,
} from '../../../daemon/features/device-console/http-message.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const page = { scheme: 'http', authority: 'hub:8071' } as const;
const device = { scheme: 'http', authority: '192.168.1.20' } as const;
const fill = (piece: string, bytes = maxHeadBytes - 100) =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

function request(input: string, lines: string, target = '/'): WorstCase {
  return {
    parser: 'request for a device',
    input,
    prepare: () =>
      tolerant(() => {
        const head = readRequest(`GET ${target} HTTP/1.1\r\nHost: hub:8071${lines}`);
        checkRequest(head, page);
        return requestHeaders(head.headers, page, device, '');
      }),
  };
}

function response(input: string, lines: string): WorstCase {
  return {
    parser: 'response of a device',
    input,
    prepare: () =>
      tolerant(() => {
        const { headers } = readResponse(`HTTP/1.1 200 OK${lines}`);
        const jar = createCookieJar(() => 0);
        for (const line of valuesOf(headers, 'set-cookie')) jar.set(line, '/');
        return [jar.header('/'), responseHeaders(headers, page, device, '/')];
      }),
  };
}

export const consoleCases: readonly WorstCase[] = [
  request('spaces in a value', `\r\nX-A: a${fill(' ')}a`),
  request('spaces and nothing else', `\r\nX-A:${fill(' ')}`),
  request('lines without a colon', fill('\r\na')),
  request('many headers', fill('\r\na:b')),
  request('line ends', fill('\r\n')),
  request('a list of names in Connection', `\r\nConnection: ${fill('a,')}`),
  request('a path of dots', '', `/${fill('%2e/')}`),
  request('a path of slashes', '', fill('/')),
  response('spaces in a value', `\r\nX-A: a${fill(' ')}a`),
  response('a cookie of semicolons', `\r\nSet-Cookie: a=b${fill(';')}`),
  response('a policy of semicolons', `\r\nContent-Security-Policy: ${fill('; report-')}`),
  response('a long address', `\r\nLocation: /${fill('../')}`),
  response('line ends', fill('\r\n')),
];
