/**
 * Text that tries to be more than text: path traversal, values that a shell or program could interpret, lines that look
 * like log lines, formulas. A real hub stores and returns it as text, or refuses it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import type { Operation } from '../../daemon/contract/logs.ts';
import type { SystemLogLine } from '../../daemon/contract/system-log.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type Written, writeEverything } from './every-write.ts';
import { refusingServer, stopFarEnds, webServer } from './fake-peers.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';
import { type ProcessWatch, watchProcesses } from './process-watch.ts';
import { type RawCall, rawCall } from './raw-call.ts';

setDefaultTimeout(120_000);

let hub: HubProcess;
let written: Written;
let processes: ProcessWatch;
beforeAll(async () => {
  hub = await startHub({
    env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices', SIGNALBOX_LOG: 'debug' },
  });
  processes = watchProcesses(hub);
  const { port } = webServer(() => new Response('taken'));
  written = await writeEverything(hub, port);
});
afterAll(async () => {
  processes.stop();
  await killAll();
  await hub.stop();
  stopFarEnds();
});
const asAdmin = (call: RawCall) => rawCall(hub, { ...call, headers: { ...hub.headers(), ...call.headers } });

/** The raw response to an unmodified path: clients normalize paths. */
function rawGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Cookie: ${hub.headers().cookie}`];
      socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1');
    });
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part));
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

test('no path escapes its folder, however it is written', async () => {
  const up = (step: string, times = 8) => step.repeat(times);
  const climbs = [
    ...[
      '../',
      '%2e%2e/',
      '..%2f',
      '%2e%2e%2f',
      '%252e%252e%252f',
      '..%5c',
      '..\\',
      '%c0%ae%c0%ae/',
      '....//',
      '..;/',
    ].map((step) => `${up(step)}etc/passwd`),
    ...[
      '%00',
      'index.html%00.png',
      '..%00/',
      '%2e%2e%2fhub.sqlite',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      'file:///etc/passwd',
    ],
    ...[`${up('%2e%2e%2f', 3)}package.json`, `..%2f..%2f..%2f${hub.dataDir.slice(1)}%2fsecrets.key`],
  ];
  const places = [
    ...['/', '/assets/', '/api/', '/api/preview/live/', `/api/preview/live/${written.channel}/`],
    ...['/api/channel/slate/get?id=', `/api/channel/slate/get?id=${written.channel}&v=`, '/api/channel/slate/get/'],
  ];
  const hls = ['/', '/live/', '/live/Zq7playKey/'];
  for (const [port, prefixes] of [[hub.ports.http, places] as const, [hub.ports.hls, hls] as const]) {
    for (const path of prefixes.flatMap((prefix) => climbs.map((climb) => `${prefix}${climb}`))) {
      const answer = await rawGet(port, path);
      expect([path, /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]]).toEqual([path, expect.stringMatching(/^40[034]|421$/)]);
      expect([path, /root:|"dependencies"|SQLite format/.test(answer)]).toEqual([path, false]);
    }
  }
});

test('the hub alone chooses the name of a download and every header', async () => {
  const evil = 'x%0d%0aX-Evil:%201%22;filename=evil.exe';
  for (const path of ['/api/log/export', '/api/syslog/export', '/api/nothing', '/']) {
    const { headers } = await asAdmin({
      path: `${path}?name=${evil}&key=${evil}`,
      headers: { 'x-request-id': 'evil' },
    });
    const all = JSON.stringify([...headers]);
    expect([path, all.includes('evil')]).toEqual([path, false]);
    expect(headers.get('x-evil')).toBeNull();
  }
});

test('shell and program syntax stays text, in every member of every write', async () => {
  const canary = join(hub.dataDir, 'canary');
  const texts = [
    ...[`$(touch ${canary})`, `\`touch ${canary}\``, `;touch ${canary};`, `|touch ${canary}`, `'; touch ${canary} #`],
    ...[`x\ntouch ${canary}`, '-version', '--help', '-i /etc/passwd', '../../etc/passwd', 'file:///etc/passwd'],
    ...['concat:/etc/passwd|/etc/hostname', '\r\nX-Evil: 1', '%0d%0aX-Evil:1', "'); DROP TABLE users; --", '__proto__'],
  ];
  const ending = ['/api/session/end', '/api/logout', '/api/usr/update'];
  for (const { path, body } of written.writes.filter((write) => !ending.includes(write.path))) {
    for (const [i, text] of texts.entries()) {
      // A failed sign-in from this address would slow down the next one.
      const from = `127.0.20.${i + 1}`;
      const { status, json, headers } = await asAdmin({ path, body: withText(body, text), from });
      // A refusal or a success, never an internal error.
      expect([path, text, status, json.result === 6]).toEqual([path, text, 200, false]);
      expect(headers.get('x-evil')).toBeNull();
    }
  }
  await connectTo(texts);
  expect(existsSync(canary)).toBe(false);
  const marks = /touch |etc\/passwd|-version|--help|X-Evil|DROP TABLE/;
  // Only the engine asks FFmpeg for its version.
  const lines = [...processes.seen].filter((line) => !line.includes('-hide_banner -version'));
  expect(lines.some((line) => line.includes('ffmpeg'))).toBe(true);
  expect(lines.filter((line) => marks.test(line))).toEqual([]);
  expect((await hub.api<{ users: object[] }>('/api/usr/list')).users.length).toBeGreaterThan(0);
  // More than 2000 calls.
}, 300_000);

/** Replaces every text with this one, or appends it to the start of an address. */
function withText(value: unknown, text: string): unknown {
  if (typeof value === 'string') return /^\w+:\/\//.test(value) ? value.replace(/[^/]*$/, () => text) : text;
  if (Array.isArray(value)) return value.map((one) => withText(one, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withText(member, text)]));
}

/** Connects to addresses that contain such text, while a stream runs. */
async function connectTo(texts: readonly string[]): Promise<void> {
  const port = leasePort();
  for (const [i, text] of texts.entries()) {
    const part = encodeURIComponent(text);
    for (const config of [
      { url: `http://127.0.0.1:${port}/${part}` },
      { url: `rtsp://127.0.0.1:${port}/${part}` },
      { srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120, 'stream-id': text } },
    ]) {
      const { json } = await asAdmin({ path: '/api/input/source/add', body: { name: `Hostile ${i}`, config } });
      if (json.result !== 0) continue;
      await hub.api('/api/channel/input/set', { id: written.channel, input: json.id });
      await hub.api('/api/input/source/del', { id: json.id, force: true });
    }
    const output = {
      url: `rtmp://127.0.0.1:${port}/app`,
      key: text,
      'enable-auth': true,
      username: text,
      password: text,
    };
    const body = { name: `Hostile ${i}`, config: output, channel: written.channel };
    const { json } = await asAdmin({ path: '/api/output/add', body });
    if (json.result !== 0) continue;
    await hub.api('/api/channel/output/enable', { id: written.channel, output: json.id, enable: true });
  }
  const { id } = await hub.api<{ id: number }>('/api/channel/add', {
    name: 'Live',
    config: { 'push-key': 'live-push' },
  });
  publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/live-push`);
  const state = async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state;
  await until(async () => (await state()) === 'live', 30_000, 'a stream runs');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this test looks for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const forged = '2026-01-01T00:00:00.000Z error hub: forged';

test('text from a remote peer is one plain line of the system log, and not a line of its own', async () => {
  const words = `go away\r\n${forged}\u001b[31m\u009b2J\u2028${forged} \u202egnp <script>alert(1)</script>`;
  const { port } = refusingServer(words);
  const config = { url: `rtmp://127.0.0.1:${port}/app`, key: 'far-key' };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', {
    name: 'Asks',
    config: { 'push-key': 'asks-push' },
  });
  const { id: output } = await hub.api<{ id: number }>('/api/output/add', { name: 'Asks', config, channel: id });
  await hub.api('/api/channel/output/enable', { id, output, enable: true });
  publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/asks-push`);
  const found = async () => (await hub.api<{ list: SystemLogLine[] }>('/api/syslog/list?key=forged&count=1000')).list;
  await until(async () => (await found()).length > 0, 60_000, 'the refusal is told');
  for (const { text, scope } of await found()) {
    expect(text).toContain('go away');
    expect(text).toContain('<script>alert(1)</script>');
    expect(scope).toStartWith('media');
  }
  const { list } = await hub.api<{ list: SystemLogLine[] }>('/api/syslog/list?count=1000');
  expect(list.filter(({ text, scope }) => unprintable.test(text + scope))).toEqual([]);
  const { text, headers } = await asAdmin({ path: '/api/syslog/export' });
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('content-disposition')).toStartWith('attachment;');
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((line) => unprintable.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('2026-01-01'))).toEqual([]);
  // The same holds for the hub's own output.
  const logged = hub.logs().trimEnd().split('\n');
  expect(logged.filter((line) => unprintable.test(line) || line.startsWith('2026-01-01'))).toEqual([]);
});

test('names with formulas, markup and bidirectional text are harmless in the operation log and its table', async () => {
  const names = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\uff1d1+1',
    '=HYPERLINK("http://evil.example";"x")',
    '<img src=x onerror=alert(1)>',
    'a,"b',
  ];
  for (const name of names) {
    const { token } = await hub.api<{ token: string }>('/api/token/add', { name, password: adminPassword });
    // Its use is logged in a separate column.
    const headers = { authorization: `Bearer ${token}` };
    const body = { name: 'Same', permissions: 4, desc: name };
    const { json } = await rawCall(hub, { path: '/api/usr-group/add', body, headers });
    if (json.result === 0) await rawCall(hub, { path: '/api/usr-group/del', body: { id: json.id }, headers });
  }
  for (const name of ['\t=1', '\r=1', 'a\nb', 'a\u0000b', 'a\u0085b', 'a\u2028b', 'a\u202eb'])
    expect(await hub.answer('/api/token/add', { name, password: adminPassword })).toMatchObject({
      result: 7,
      message: expect.stringMatching(/^name: /),
    });
  const agent = 'curl\u009b31m =1+1';
  await rawCall(hub, { path: '/api/login', body: { id: 'Admin', password: 'x' }, headers: { 'user-agent': agent } });

  const { list } = await hub.api<{ list: Operation[] }>('/api/log/list?count=1000');
  expect(list.filter((entry) => unprintable.test(JSON.stringify(entry)))).toEqual([]);
  for (const name of names)
    expect([name, list.some(({ subject, via }) => subject === name && via === '')]).toEqual([name, true]);

  const { text, headers } = await asAdmin({ path: '/api/log/export' });
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toStartWith('attachment;');
  const rows = text.trimEnd().split('\r\n').map(cellsOf);
  expect(rows.filter((cells) => cells.length !== 7)).toEqual([]);
  expect(rows.flat().filter((cell) => /^\s*[=+\-@\uff1d]/.test(cell) || unprintable.test(cell))).toEqual([]);
  for (const column of [3, 5]) expect(rows.some((cells) => cells[column]?.startsWith("'=HYPERLINK"))).toBe(true);
});

test('a browser’s user agent is shown as plain text', async () => {
  const { json } = await rawCall(hub, {
    ...{ path: '/api/login', body: { id: 'Admin', password: 'integration-only' } },
    headers: { 'user-agent': 'curl\u009b31m<b>' },
  });
  const headers = { cookie: `${cookieNames.sid}=${json.token}` };
  const { list } = (await rawCall(hub, { path: '/api/session/list', headers })).json as never as {
    list: { agent: string; current: boolean }[];
  };
  expect(list.find(({ current }) => current)?.agent).toMatch(/^curl.*<b>$/);
  expect(list.filter(({ agent }) => unprintable.test(agent))).toEqual([]);
});

/** Cells of a line of RFC 4180 CSV. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
