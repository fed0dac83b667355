/** Requests over raw sockets that two programs could read differently, or that no page of the origin makes. */
import { describe, expect, test } from 'bun:test';
import { encoder } from '../devices/device-hub-for-test.ts';
import { consoleHub, page, raw, statusOf } from './console-rig-for-test.ts';

/** Everything of a request but its first line, in which `HOST`, `COOKIE` and `ORIGIN` are replaced. */
const usual = 'Host: HOST\r\nCookie: COOKIE\r\n';
describe('a request is refused, and the device hears nothing of it:', () => {
  test.each([
    [
      'content length and transfer coding',
      `POST / HTTP/1.1\r\n${usual}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na`,
      400,
    ],
    ['two lengths', `POST / HTTP/1.1\r\n${usual}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ['a list of lengths', `POST / HTTP/1.1\r\n${usual}Content-Length: 1, 1\r\n\r\na`, 400],
    ['a signed length', `POST / HTTP/1.1\r\n${usual}Content-Length: +1\r\n\r\na`, 400],
    ['an unknown coding', `POST / HTTP/1.1\r\n${usual}Transfer-Encoding: gzip\r\n\r\n`, 400],
    ['two codings', `POST / HTTP/1.1\r\n${usual}Transfer-Encoding: gzip, chunked\r\n\r\n`, 400],
    ['a space before the colon', `GET / HTTP/1.1\r\n${usual}X-A : 1\r\n\r\n`, 400],
    ['a folded header', `GET / HTTP/1.1\r\n${usual}X-A: 1\r\n 2\r\n\r\n`, 400],
    ['a NUL', `GET / HTTP/1.1\r\n${usual}X-A: 1\0\r\n\r\n`, 400],
    ['a bare CR', `GET / HTTP/1.1\r\n${usual}X-A: 1\r2\r\n\r\n`, 400],
    ['a bare LF', `GET / HTTP/1.1\r\n${usual}X-A: 1\n2: 3\r\n\r\n`, 400],
    ['HTTP/1.0', `GET / HTTP/1.0\r\n${usual}Transfer-Encoding: chunked\r\n\r\n`, 505],
    ['no Host', 'GET / HTTP/1.1\r\nCookie: COOKIE\r\n\r\n', 400],
    ['two Hosts', `GET / HTTP/1.1\r\n${usual}Host: HOST\r\n\r\n`, 400],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: HOST/x\r\nCookie: COOKIE\r\n\r\n', 400],
    ['a Host with another name', 'GET / HTTP/1.1\r\nHost: evil.example:PORT\r\nCookie: COOKIE\r\n\r\n', 401],
    ['a Host with another port', 'GET / HTTP/1.1\r\nHost: hub:1\r\nCookie: COOKIE\r\n\r\n', 421],
    ['a head that is too long', `GET / HTTP/1.1\r\n${usual}X-A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['too many headers', `GET / HTTP/1.1\r\n${usual}${'X-A: 1\r\n'.repeat(120)}\r\n`, 431],
    ['an absolute target', `GET http://evil.example/x HTTP/1.1\r\n${usual}\r\n`, 400],
    ['a tunnel', `CONNECT evil.example:80 HTTP/1.1\r\n${usual}\r\n`, 501],
    ['TRACE', `TRACE / HTTP/1.1\r\n${usual}\r\n`, 501],
    ['dot segments', `GET /a/../b HTTP/1.1\r\n${usual}\r\n`, 400],
    ['encoded dot segments', `GET /a/%2e%2E/b HTTP/1.1\r\n${usual}\r\n`, 400],
    ['an encoded slash', `GET /a/..%2fb HTTP/1.1\r\n${usual}\r\n`, 400],
    ['an encoded backslash', `GET /a%5cb HTTP/1.1\r\n${usual}\r\n`, 400],
    ['a backslash', `GET /a\\b HTTP/1.1\r\n${usual}\r\n`, 400],
    ['no session', 'GET / HTTP/1.1\r\nHost: HOST\r\n\r\n', 401],
    [
      'a guessed session',
      'GET / HTTP/1.1\r\nHost: HOST\r\nCookie: signalbox-console-PORT=0123456789abcdef.x\r\n\r\n',
      401,
    ],
    ['the session of the hub', 'GET / HTTP/1.1\r\nHost: HOST\r\nCookie: mwcloud-sid=ADMIN\r\n\r\n', 401],
    ['another origin', `POST / HTTP/1.1\r\n${usual}Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n`, 403],
    ['the origin of the hub', `POST / HTTP/1.1\r\n${usual}Origin: http://hub\r\nContent-Length: 0\r\n\r\n`, 403],
    ['no origin at all', `POST / HTTP/1.1\r\n${usual}Origin: null\r\nContent-Length: 0\r\n\r\n`, 403],
    ['a page of another port', `GET / HTTP/1.1\r\n${usual}Sec-Fetch-Site: same-site\r\n\r\n`, 403],
    ['a service worker', `GET /sw.js HTTP/1.1\r\n${usual}Service-Worker: script\r\n\r\n`, 403],
    ['another protocol', `GET / HTTP/1.1\r\n${usual}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, 400],
    ['a WebSocket without origin', `GET / HTTP/1.1\r\n${usual}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 403],
    [
      'a WebSocket of another origin',
      `GET / HTTP/1.1\r\n${usual}Origin: http://evil\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      403,
    ],
    [
      'a WebSocket without key',
      `GET / HTTP/1.1\r\n${usual}Origin: ORIGIN\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      400,
    ],
    ['a path of the hub', `GET /_signalbox/other HTTP/1.1\r\n${usual}\r\n`, 403],
  ])('%s', async (_what, text, status) => {
    const hub = await consoleHub();
    const device = await hub.device(encoder, () => page());
    const { port, host, cookie } = await hub.open(encoder);
    const sent = text
      .replaceAll('HOST', host)
      .replaceAll('COOKIE', cookie)
      .replaceAll('PORT', String(port))
      .replaceAll('ADMIN', hub.admin)
      .replaceAll('ORIGIN', `http://${host}`);
    expect(statusOf(await raw(port, sent))).toBe(status);
    expect(device.received.filter((one) => one !== '')).toEqual([]);
  });
});
