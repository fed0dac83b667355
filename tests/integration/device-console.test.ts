/** The web pages of simulated devices through a real hub: directly, with TLS, and through an agent. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cookieNames } from '../../daemon/contract/cookie-names.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { DevicePage } from '../sim/devices/web-page.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { peakBytes, resetPeak } from '../support/peak-memory.ts';
import { until } from '../support/until.ts';
import { AgentProcess, killAgents } from './agent-process.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);
const mebibyte = 1 << 20;
const fileBytes = 200 * mebibyte;
/** What a body of any size may cost, with the garbage of passing it on at full speed. */
const memoryBytes = 64 * mebibyte;

let hub: HubProcess;
let folder: string;
const served: ServedDevice[] = [];
const sns = { direct: 'B313240506021', tls: 'B313240506022', agent: 'B313240506023' } as const;
type Way = keyof typeof sns;
const ways = Object.keys(sns) as Way[];
const pages = {} as Record<Way, DevicePage>;

function serve(way: Way, certificate?: Parameters<typeof serveDevice>[1]): string {
  const device = new UsapiDevice({ kind: 'encode', sn: sns[way], name: way });
  pages[way] = new DevicePage(device, way);
  const one = serveDevice(pages[way], certificate);
  served.push(one);
  return `127.0.0.1:${one.address.port}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-device-console-'));
  writeFileSync(join(folder, 'password'), 'Admin\n');
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' } });
  await hub.login();
  const login = { user: 'Admin', password: 'Admin' };
  await hub.api('/api/device/add', { address: serve('direct'), ...login });
  const certificate = makeDeviceCertificate('stage');
  const secure = `https://${serve('tls', certificate)}`;
  await hub.api('/api/device/add', { address: secure, ...login, pin: certificate.fingerprint });
  const agent = new AgentProcess({
    ...{ hub: `127.0.0.1:${hub.ports.link}`, code: '', devices: [`http://${serve('agent')}`], timeDivisor: 5 },
    ...{ passwordFile: join(folder, 'password'), state: join(folder, 'state'), more: ['--insecure'] },
  });
  await agent.says('waits until an administrator');
  await hub.api('/api/device/accept', { sn: sns.agent });
  await agent.says('connected');
});
afterAll(async () => {
  await killAgents();
  await hub?.stop();
  await Promise.all(served.map(({ close }) => close()));
  rmSync(folder, { recursive: true, force: true });
});

interface Browser {
  readonly origin: string;
  readonly cookie: string;
  fetch(path: string, init?: BunFetchRequestInit): Promise<Response>;
}

/** The hub has one port for pages, which is free for another device when the session of the user has ended. */
let openWay: Way | undefined;

/** Opens the page of the device like a browser, and signs in to it. */
async function open(way: Way): Promise<Browser> {
  if (openWay !== undefined && openWay !== way) {
    await hub.api('/api/logout', {});
    await hub.login();
  }
  openWay = way;
  const manual = { redirect: 'manual', headers: hub.headers() } as const;
  const redirect = await fetch(`${hub.url}/socket/sc-remote/${sns[way]}/`, manual);
  const location = redirect.headers.get('location') ?? '';
  const entered = await fetch(location, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { origin } = new URL(location);
  const browser: Browser = {
    ...{ origin, cookie },
    fetch: (path, init = {}) =>
      fetch(origin + path, {
        redirect: 'manual',
        ...init,
        // As a browser does: with all cookies of the host.
        headers: { cookie: `${cookie}; ${hub.headers().cookie}`, ...(init.headers as Record<string, string>) },
      }),
  };
  const first = await browser.fetch('/');
  expect([first.status, first.headers.get('location')]).toEqual([302, `${origin}/login.html`]);
  const signedIn = await browser.fetch('/login', {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ password: 'open' }),
  });
  expect([signedIn.status, signedIn.headers.get('location'), signedIn.headers.get('set-cookie')]).toEqual([
    ...[303, `${origin}/`, null],
  ]);
  return browser;
}

/** The device sends no more, because nobody takes it. */
async function untilPaused(way: Way): Promise<void> {
  let last = -1;
  await until(() => {
    const isPaused = pages[way].sent === last;
    last = pages[way].sent;
    return isPaused;
  });
  expect(last).toBeLessThan(fileBytes / 2);
}

describe.each(ways)('the page of a device: %s', (way) => {
  test('signs in, loads what it needs, and sees nothing of the hub', async () => {
    const browser = await open(way);
    expect(await (await browser.fetch('/')).text()).toContain(`<h1>${way}</h1>`);
    expect(await (await browser.fetch('/status')).json()).toEqual({ name: way });
    expect((await browser.fetch('/static/page.js')).headers.get('content-type')).toBe('text/javascript');
    const secrets = [hub.headers().cookie?.split('=')[1] ?? '', browser.cookie.split('.')[1] ?? ''];
    for (const { headers } of pages[way].seen) {
      for (const [, value] of headers) expect(secrets.filter((secret) => value.includes(secret))).toEqual([]);
      expect(headers.get('cookie') ?? '').not.toContain(cookieNames.sid);
    }
  });

  test('speaks over a WebSocket with megabytes in each message', async () => {
    const { origin, cookie } = await open(way);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws`, {
      ...{ headers: { cookie, origin }, protocols: ['echo.1'] },
    } as never);
    socket.binaryType = 'arraybuffer';
    const message = randomFillSync(new Uint8Array(8 * mebibyte));
    const echoed = Promise.withResolvers<Uint8Array>();
    socket.onopen = () => socket.send(message);
    socket.onmessage = ({ data }) => echoed.resolve(new Uint8Array(data));
    socket.onerror = () => echoed.reject(new Error('the WebSocket does not open'));
    expect(Buffer.compare(await echoed.promise, message)).toBe(0);
    expect(socket.protocol).toBe('echo.1');
    const closed = Promise.withResolvers<void>();
    socket.onclose = () => closed.resolve();
    socket.close();
    await closed.promise;
  });

  test('takes a file of 200 MB, which costs the hub little memory', async () => {
    const browser = await open(way);
    const file = randomFillSync(Buffer.allocUnsafe(fileBytes));
    const sha256 = new Bun.CryptoHasher('sha256').update(file).digest('hex');
    const before = resetPeak(hub.pid);
    const answer = await browser.fetch('/upload', { method: 'POST', body: file, headers: { origin: browser.origin } });
    expect(await answer.text()).toBe(`${fileBytes} ${sha256}`);
    expect(peakBytes(hub.pid) - before).toBeLessThan(memoryBytes);
    expect(pages[way].seen.findLast(({ path }) => path === '/upload')?.headers.get('content-length')).toBe(
      String(fileBytes),
    );
  });

  test('sends 200 MB to a reader that stops in between, which costs the hub little memory', async () => {
    const browser = await open(way);
    const before = resetPeak(hub.pid);
    const answer = await browser.fetch(`/download?bytes=${fileBytes}`);
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      if (bytes === 0) await untilPaused(way);
      bytes += part.length;
    }
    expect(bytes).toBe(fileBytes);
    expect(peakBytes(hub.pid) - before).toBeLessThan(memoryBytes);
  });
});

test('a page ends with the session of its user', async () => {
  const browser = await open('direct');
  const socket = new WebSocket(`${browser.origin.replace('http', 'ws')}/ws`, {
    ...{ headers: { cookie: browser.cookie, origin: browser.origin }, protocols: ['echo.1'] },
  } as never);
  let isClosed = false;
  socket.onclose = () => {
    isClosed = true;
  };
  await until(() => socket.readyState === WebSocket.OPEN, 10_000, 'the WebSocket is open');
  await hub.api('/api/logout');
  const since = performance.now();
  await until(() => isClosed, 5000, 'the WebSocket ends');
  expect(performance.now() - since).toBeLessThan(1000);
  expect((await browser.fetch('/')).status).toBe(401);
});
