import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { cookieNames } from '../../contract/cookie-names.ts';
import { encoder } from '../devices/device-hub-for-test.ts';
import { connect, consoleHub, freePort, headerIn, page, raw, statusOf } from './console-rig-for-test.ts';
import { markOf } from './sessions.ts';

const other = 'B313220914009';

test('the hub redirects to a port for pages of devices, with a ticket that begins one session', async () => {
  const hub = await consoleHub();
  await hub.device(encoder, () => page('the page of the device'));
  const redirect = await hub.ask(encoder);
  expect(redirect.status).toBe(302);
  const url = redirect.headers.get('location')!;
  expect(url).toMatch(/^http:\/\/hub:\d+\/_signalbox\/open\?ticket=[\w-]{43}$/);

  const { port, response, set, cookie } = await hub.enter(url);
  expect(statusOf(response)).toBe(200);
  expect(response).toContain("location.replace('/')");
  expect(set).toMatch(/^signalbox-console-\d+=[0-9a-f]{16}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(set).toContain(`signalbox-console-${port}=`);
  const shown = await raw(
    port,
    `GET / HTTP/1.1\r\nHost: hub:${port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
  );
  expect(shown).toEndWith('\r\n\r\nthe page of the device');
  expect(await hub.log()).toContain(`device.console: ${encoder}`);

  expect(statusOf((await hub.enter(url)).response)).toBe(401);
  expect(statusOf((await hub.enter(url.replace(/ticket=.*/, 'ticket=guessed'))).response)).toBe(401);
});

test('users without the right to a device cannot open its page, and are told why', async () => {
  const hub = await consoleHub();
  await hub.device(encoder, () => page());
  await hub.post('usr/add', { name: 'ann', password: 'a-long-secret' });
  const ann = await hub.signIn('ann');
  const status = async (...of: Parameters<typeof hub.ask>) => (await hub.ask(...of)).status;
  expect(await status(encoder, '')).toBe(401);
  expect(await status(encoder, ann)).toBe(403);
  expect(await status('B313220914999')).toBe(404);
  expect(await status('..%2fB313220914999')).toBe(404);
  for (const site of ['same-site', 'cross-site']) {
    expect(await status(encoder, hub.admin, { 'sec-fetch-site': site })).toBe(403);
  }
  const shown = await hub.ask('B313220914999', hub.admin, { accept: 'text/html', 'accept-language': 'zh-CN' });
  expect(shown.status).toBe(404);
  expect(shown.headers.get('content-type')).toContain('text/html');
  expect(await shown.text()).toContain('没有此设备');
  await hub.post('device/reject', { sn: encoder });
  expect((await hub.json(`/socket/sc-remote/${encoder}/`, { as: hub.admin })).result).toBe(10007);
});

test('a device that is offline or does not answer has a page that says so in both languages, with a way back', async () => {
  const hub = await consoleHub();
  await hub.add(encoder);
  const { send } = await hub.open(encoder);
  const english = await send('GET /', 'Accept: text/html', 'Accept-Language: en');
  expect(statusOf(english)).toBe(502);
  expect(english).toContain('<h1>The device is offline</h1>');
  expect(english).toContain('Error code 10007');
  expect(english).toContain(`href="http://hub/#/device/detail/${encoder}"`);
  const chinese = await send('GET /', 'Accept: text/html', 'Cookie: signalbox-language=zh');
  expect(Buffer.from(chinese, 'latin1').toString()).toContain('<h1>设备离线</h1>');
  // For a script of the page.
  expect(await send('GET /api')).not.toContain('<h1>');
});

describe('a session', () => {
  test('is for one device and one port', async () => {
    const hub = await consoleHub();
    await hub.device(encoder, () => page('of the encoder'));
    await hub.device(other, () => page('of the other one'));
    const first = await hub.open(encoder);
    // The browser has the cookie of the first one: the second gets an origin of its own.
    const ticket = (await hub.ask(other)).headers.get('location')!;
    const moved = await hub.enter(ticket, first.cookie);
    expect(statusOf(moved.response)).toBe(303);
    const [location = ''] = headerIn(moved.response, 'location');
    const second = await hub.enter(location, first.cookie);
    expect(second.port).not.toBe(first.port);
    const get = (port: number, cookie: string) =>
      raw(port, `GET / HTTP/1.1\r\nHost: hub:${port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
    const both = `${first.cookie}; ${second.cookie}`;
    expect(await get(first.port, both)).toEndWith('of the encoder');
    expect(await get(second.port, both)).toEndWith('of the other one');
    const moving = first.cookie.replace(String(first.port), String(second.port));
    expect(statusOf(await get(second.port, moving))).toBe(401);
    expect(statusOf(await get(second.port, `${second.cookie}; ${moving}`))).toBe(401);
    // The same device again stays where it is, and signed in.
    const again = await hub.enter((await hub.ask(encoder)).headers.get('location')!, both);
    expect([again.port, statusOf(again.response), again.set]).toEqual([first.port, 200, '']);
  });

  test('gets no port where the user has another device open, also if its page has crowded out the cookies', async () => {
    const hub = await consoleHub();
    await hub.device(encoder, () => page());
    await hub.device(other, () => page());
    const first = await hub.open(encoder);
    const forged = first.cookie.replace(/=[0-9a-f]{16}/, `=${markOf(other)}`);
    for (const cookies of ['', forged]) {
      const url = (await hub.ask(other)).headers.get('location') ?? '';
      const { response, set } = await hub.enter(url, cookies);
      expect([statusOf(response), set]).toEqual([303, '']);
      expect(new URL(headerIn(response, 'location')[0] ?? '').port).not.toBe(String(first.port));
    }
    expect(statusOf(await first.send('GET /'))).toBe(200);
  });

  test('of another device at the only port begins when a person says that the other page is closed', async () => {
    const only = freePort();
    const hub = await consoleHub({ SIGNALBOX_CONSOLE_PORT: only });
    await hub.device(encoder, () => page('of the encoder'));
    await hub.device(other, () => page('of the other one'));
    const first = await hub.open(encoder);
    const asked = await hub.enter((await hub.ask(other)).headers.get('location')!, first.cookie);
    expect(asked.set).toBe('');
    expect(asked.response).toContain('Close the other device first');
    expect(await first.send('GET /')).toEndWith('of the encoder');
    expect(statusOf((await hub.confirm(asked, first.cookie, 'http://evil.example')).response)).toBe(403);
    const { set } = await hub.confirm(asked, first.cookie);
    expect(statusOf(await first.send('GET /'))).toBe(401);
    const get = `GET / HTTP/1.1\r\nHost: hub:${only}\r\nCookie: ${set.split(';')[0]}\r\nConnection: close\r\n\r\n`;
    expect(await raw(Number(only), get)).toEndWith('of the other one');
  });

  test.each([
    ['the user signs out', (hub) => hub.call('/api/logout', { as: hub.operator })],
    ['the user loses the permission', (hub) => hub.post('usr-group/set', { id: hub.group, permissions: 4 })],
    ['the device is rejected', (hub) => hub.post('device/reject', { sn: encoder })],
    ['the user is deleted', (hub) => hub.post('usr/del', { name: 'ann' })],
  ] as [string, (hub: { operator: string; group: number } & Awaited<ReturnType<typeof consoleHub>>) => unknown][])(
    'and what it has open ends when %s',
    async (_why, act) => {
      const hub = await consoleHub();
      const device = await hub.device(encoder, () => undefined);
      await hub.post('usr/add', { name: 'ann', password: 'a-long-secret' });
      const { id: group } = await hub.post('usr-group/add', { name: 'Trial', permissions: 12, users: ['ann'] });
      const operator = await hub.signIn('ann');
      const { port, cookie, send } = await hub.open(encoder, operator);
      const connection = await connect(port);
      connection.socket.write(`GET /events HTTP/1.1\r\nHost: hub:${port}\r\nCookie: ${cookie}\r\n\r\n`);
      await until(() => device.received.length === 1);
      await act({ ...hub, operator, group });
      await until(() => connection.isClosed, 1500, 'the open request ends');
      expect([401, 403, 404, 502]).toContain(statusOf(await send('GET /')));
      expect(device.received.length).toBe(1);
    },
  );
});

describe('the device gets', () => {
  test('nothing of the hub, and no header that is not for it', async () => {
    const hub = await consoleHub();
    const device = await hub.device(encoder, () => page());
    const { send, cookie, host } = await hub.open(encoder);
    await send(
      'GET /a//b/%41?x=..%2f#'.replace('#', ''),
      `Cookie: ${cookieNames.sid}=${hub.admin}; own=1; ${cookie}`.replace(`; ${cookie}`, ''),
      `Authorization: Bearer ${hub.admin}`,
      'Connection: x-auth, keep-alive',
      'X-Auth: one',
      'X-Own: two',
      'X-Forwarded-For: 192.0.2.9',
      'X-Real-IP: 192.0.2.9',
      'Forwarded: for=192.0.2.9',
      'Proxy-Authorization: Basic eDp5',
      'TE: trailers',
      'Keep-Alive: timeout=5',
      'Accept-Language: zh',
      `Origin: http://${host}`,
      `Referer: http://${host}/deep?x=1`,
      'Sec-Fetch-Site: same-origin',
      'Via: 1.1 proxy',
    );
    expect(device.received[0]!.split('\r\n').toSorted()).toEqual(
      [
        'GET /a//b/%41?x=..%2f HTTP/1.1',
        ...['host: device', 'x-own: two', 'accept-language: zh', 'origin: http://device'],
        ...['referer: http://device/deep?x=1', 'connection: close', '', ''],
      ].toSorted(),
    );
  });

  test('a target that looks like another host as the path that it is, and a body without extensions and trailers', async () => {
    const hub = await consoleHub();
    const device = await hub.device(encoder, () => undefined);
    const { port, host, cookie } = await hub.open(encoder);
    const connection = await connect(port);
    const head = [`POST //evil.example/x HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, 'Transfer-Encoding: chunked'];
    connection.socket.write(`${head.join('\r\n')}\r\n\r\n3;x=1\r\nabc\r\n0\r\nX-Own: 1\r\nHost: evil.example\r\n\r\n`);
    await until(() => device.received[0]?.endsWith('\r\n0\r\n\r\n') === true);
    const [line, ...rest] = device.received[0]!.split('\r\n');
    expect(line).toBe('POST //evil.example/x HTTP/1.1');
    expect(rest.filter((one) => one.startsWith('host:'))).toEqual(['host: device']);
    expect(rest.slice(rest.indexOf('') + 1)).toEqual(['3', 'abc', '0', '', '']);
  });

  test('the credentials that are its own', async () => {
    const hub = await consoleHub();
    const device = await hub.device(encoder, () => page('', 'WWW-Authenticate: Digest realm="device"'));
    const { send } = await hub.open(encoder);
    expect(headerIn(await send('GET /', 'Authorization: Digest username="admin"'), 'www-authenticate')).toEqual([
      'Digest realm="device"',
    ]);
    await send('GET /', 'Authorization: Bearer token-of-the-device');
    expect(device.received.map((text) => headerIn(text, 'authorization'))).toEqual([
      ['Digest username="admin"'],
      ['Bearer token-of-the-device'],
    ]);
  });

  test('no credentials that the browser has stored for another device, until it asks for its own', async () => {
    const hub = await consoleHub({ SIGNALBOX_CONSOLE_PORT: freePort() });
    await hub.device(encoder, () => page());
    const answers = ['HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'];
    const second = await hub.device(other, () => answers.pop() ?? page());
    const first = await hub.open(encoder);
    expect(statusOf(await first.send('GET /', 'Authorization: Basic Zmlyc3Q6MQ=='))).toBe(200);
    // The browser has no other port for the second device, and the user says that the first one's page is closed.
    const asked = await hub.enter((await hub.ask(other)).headers.get('location') ?? '', first.cookie);
    const { set } = await hub.confirm(asked, first.cookie);
    const send = (credentials: string) =>
      raw(
        first.port,
        `GET / HTTP/1.1\r\nHost: ${first.host}\r\nCookie: ${set.split(';')[0]}\r\nConnection: close\r\n` +
          `Authorization: ${credentials}\r\n\r\n`,
      );
    expect(statusOf(await send('Basic Zmlyc3Q6MQ=='))).toBe(401);
    expect(statusOf(await send('Basic c2Vjb25kOjI='))).toBe(200);
    expect(second.received.map((text) => headerIn(text, 'authorization'))).toEqual([[], ['Basic c2Vjb25kOjI=']]);
  });

  test('the cookies that it has set, which the browser does not', async () => {
    const hub = await consoleHub();
    const device = await hub.device(encoder, (head) =>
      head.includes('/login')
        ? page(
            '',
            'Set-Cookie: sid=1; Path=/; HttpOnly',
            'Set-Cookie: deep=2; Path=/a/b; Domain=hub',
            `Set-Cookie: ${cookieNames.sid}=evil; Path=/`,
            'Set-Cookie: __Host-signalbox-console-8071=evil; Path=/; Secure',
            'Set-Cookie: gone=3; Max-Age=0',
          )
        : page(),
    );
    const { send } = await hub.open(encoder);
    const response = await send('POST /login', 'Content-Length: 0');
    expect(headerIn(response, 'set-cookie')).toEqual([]);
    await send('GET /');
    await send('GET /a/b/c');
    expect(device.received.slice(1).map((text) => headerIn(text, 'cookie'))).toEqual([['sid=1'], ['deep=2; sid=1']]);
  });
});

describe('the browser gets', () => {
  test('no header with an effect beyond the page', async () => {
    const hub = await consoleHub();
    const hostile = [
      ...['Service-Worker-Allowed: /', 'Clear-Site-Data: "*"', 'Strict-Transport-Security: max-age=9999'],
      ...['Access-Control-Allow-Origin: *', 'Alt-Svc: h3=":443"', 'Connection: x-hop', 'X-Hop: 1', 'Link: </x>'],
      ...['Refresh: 0; url=http://evil/', 'Report-To: {}', 'Cache-Control: max-age=99999', 'X-Frame-Options: ALLOWALL'],
      "Content-Security-Policy: script-src 'self'; report-uri http://evil/",
    ];
    await hub.device(encoder, () => page('x', 'Content-Type: text/html', 'X-Own: 1', 'ETag: "1"', ...hostile));
    const { send, host } = await hub.open(encoder);
    const [head = ''] = (await send('GET /')).split('\r\n\r\n');
    const policy =
      "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; " +
      `connect-src 'self' data: blob: ws://${host} wss://${host}; ` +
      "form-action 'self'; frame-ancestors 'self'; base-uri 'self'; object-src 'self'";
    expect(head.split('\r\n').toSorted()).toEqual(
      [
        ...['HTTP/1.1 200 OK', 'content-type: text/html', 'x-own: 1', 'etag: "1"', 'content-length: 1'],
        ...["content-security-policy: script-src 'self'", `content-security-policy: ${policy}`],
        ...['cache-control: no-store', 'x-content-type-options: nosniff', 'x-frame-options: SAMEORIGIN'],
        ...['referrer-policy: same-origin', 'cross-origin-resource-policy: same-origin', 'connection: close'],
        'permissions-policy: camera=(), microphone=(), geolocation=(), payment=(), usb=()',
      ].toSorted(),
    );
  });

  test.each([
    ['/login?x=1#y', 'http://HOST/login?x=1#y'],
    ['next', 'http://HOST/a/next'],
    ['http://device/b', 'http://HOST/b'],
    ['//device//evil.example/', 'http://HOST//evil.example/'],
    ['http://evil.example/', undefined],
    ['//evil.example/', undefined],
    ['/\\evil.example/', undefined],
    ['https://device/', undefined],
    ['http://device:8880/api', undefined],
    ['http://169.254.169.254/latest', undefined],
    ['javascript:alert(1)', undefined],
    ['http://device@evil.example/', undefined],
  ])('a redirect to %s as one to %s', async (location, expected) => {
    const hub = await consoleHub();
    await hub.device(encoder, () => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
    const { send, host } = await hub.open(encoder);
    const response = await send('GET /a/b');
    expect(statusOf(response)).toBe(expected === undefined ? 502 : 302);
    expect(headerIn(response, 'location')).toEqual(expected === undefined ? [] : [expected.replace('HOST', host)]);
  });

  test.each([
    ['until the end', 'HTTP/1.0 200 OK\n\nuntil the end', 200, 'd\r\nuntil the end\r\n0\r\n\r\n'],
    [
      'with chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n',
      200,
      '3\r\nabc\r\n0\r\n\r\n',
    ],
    ['after hints', 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 204 Fine\r\n\r\n', 204, ''],
    ['longer than it says', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nmore than five', 200, 'more '],
    ['of two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 502, undefined],
    [
      'with a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na',
      502,
      undefined,
    ],
    ['of an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n', 502, undefined],
    ['with a folded header', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n folded\r\n\r\n', 502, undefined],
    [
      'that switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      502,
      undefined,
    ],
    ['that is not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 502, undefined],
    ['whose head is too long', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 502, undefined],
  ])('for an answer %s its status', async (_what, answer, status, body) => {
    const hub = await consoleHub();
    await hub.device(encoder, () => answer);
    const { send } = await hub.open(encoder);
    const response = await send('GET /');
    expect(statusOf(response)).toBe(status);
    if (body !== undefined) expect(response.slice(response.indexOf('\r\n\r\n') + 4)).toBe(body);
  });

  test('a redirect to an address that the device states about itself as one to its page', async () => {
    const hub = await consoleHub();
    await hub.device(encoder, (head) => {
      const to = /to=(\S+)/.exec(head)?.[1];
      return `HTTP/1.1 302 Found\r\nLocation: http://${to}\r\nContent-Length: 0\r\n\r\n`;
    });
    hub.fleet.online(encoder, { ethernet: { address: '192.168.1.20' } });
    const { send, host } = await hub.open(encoder);
    expect(headerIn(await send('GET /?to=192.168.1.20/a'), 'location')).toEqual([`http://${host}/a`]);
    for (const other of ['192.168.1.21/', '192.168.1.20:8080/', 'device.evil/']) {
      expect(statusOf(await send(`GET /?to=${other}`))).toBe(502);
    }
  });

  test('a response of any length', async () => {
    const hub = await consoleHub();
    await hub.device(encoder, () => 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nthe beginning');
    const { send } = await hub.open(encoder);
    const response = await send('GET /recording.mp4');
    expect([statusOf(response), headerIn(response, 'content-length')]).toEqual([200, ['99999999999']]);
    expect(response).toEndWith('\r\n\r\nthe beginning');
  });

  test('a response that breaks off as one that does', async () => {
    const hub = await consoleHub();
    await hub.device(encoder, () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    const { send } = await hub.open(encoder);
    expect(await send('GET /')).not.toEndWith('0\r\n\r\n');
  });
});

test.each([
  ['a chunk without size', 'zz\r\nabc\r\n0\r\n\r\n'],
  ['a chunk that is too long', '3\r\nabcdef\r\n0\r\n\r\n'],
  ['a size beyond all limits', 'fffffffff\r\n'],
])('a body with %s ends both connections', async (_what, body) => {
  const hub = await consoleHub();
  const device = await hub.device(encoder, () => undefined);
  const { send } = await hub.open(encoder);
  expect(statusOf(await send('POST /', `Transfer-Encoding: chunked\r\n\r\n${body}`))).toBe(400);
  await until(() => device.received.length === 1);
  expect(device.received[0]).not.toEndWith('0\r\n\r\n');
});

test.each([
  ['a request', 'GET /slow HTTP/1.1', '\r\n'],
  ['a request with a body', 'POST /slow HTTP/1.1', 'Content-Length: 3\r\n\r\nabc'],
])('the device hears at once that the browser has left during %s', async (_what, line, rest) => {
  const hub = await consoleHub();
  const device = await hub.device(encoder, () => undefined);
  const { port, host, cookie } = await hub.open(encoder);
  const connection = await connect(port);
  connection.socket.write(`${line}\r\nHost: ${host}\r\nCookie: ${cookie}\r\n${rest}`);
  await until(() => device.received[0]?.endsWith(rest.slice(-3)) === true);
  connection.socket.end();
  await until(() => device.sockets[0]?.readyState !== 1, 1000);
});

test('a WebSocket passes both ways, and ends at both ends', async () => {
  const hub = await consoleHub();
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
  const handshake = (more: string) =>
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${more}\r\n\r\n`;
  let answer = accept;
  const device = await hub.device(encoder, () => handshake(answer));
  const { port, host, cookie, send } = await hub.open(encoder);
  const upgrade = [
    ...[`Origin: http://${host}`, 'Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...[`Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Extensions: permessage-deflate', 'Sec-WebSocket-Protocol: a, b'],
  ];
  const connection = await connect(port);
  connection.socket.write([`GET /ws HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, ...upgrade, '\r\n'].join('\r\n'));
  await until(() => connection.received.includes('\r\n\r\n'));
  expect(statusOf(connection.received)).toBe(101);
  expect(headerIn(connection.received, 'sec-websocket-accept')).toEqual([accept]);
  expect(headerIn(device.received[0]!, 'sec-websocket-extensions')).toEqual([]);
  expect(headerIn(device.received[0]!, 'sec-websocket-protocol')).toEqual(['a, b']);
  expect(headerIn(device.received[0]!, 'origin')).toEqual(['http://device']);
  connection.socket.write('up');
  await until(() => device.received[0]!.endsWith('up'));
  device.sockets[0]!.write('down');
  await until(() => connection.received.endsWith('down'));
  device.sockets[0]!.end();
  await until(() => connection.isClosed);

  for (answer of [
    'x',
    `${accept}\r\nSec-WebSocket-Extensions: permessage-deflate`,
    `${accept}\r\nSec-WebSocket-Protocol: c`,
  ]) {
    const line = upgrade.filter((one) => !one.startsWith('Connection'));
    expect(statusOf(await send('GET /ws', 'Connection: Upgrade', ...line))).toBe(502);
  }
});
