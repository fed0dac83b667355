/** A real nginx in front of a real hub that trusts it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { killAll, run } from './live-media.ts';
import { type RawCall, rawCall } from './raw-call.ts';

setDefaultTimeout(60_000);

/** Loopback addresses represent the machines: the proxy's own, and one for each client. */
const proxyAddress = '127.0.0.77';
const folder = mkdtempSync(join(tmpdir(), 'sb-proxy-'));
const port = leasePort();

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_TRUSTED_PROXIES: `${proxyAddress},10.0.0.0/8` } });
  writeFileSync(join(folder, 'conf'), nginxConfig());
  run(['/usr/sbin/nginx', '-p', folder, '-e', `${folder}/log`, '-c', `${folder}/conf`]);
  const pid = join(folder, 'pid');
  await until(() => existsSync(pid) && readFileSync(pid).length > 0, 20_000, 'nginx runs');
});
afterAll(async () => {
  await hub.stop();
  await killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The headers as in the README; this nginx does not terminate TLS, but claims to. */
function nginxConfig(): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
    daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
    http {
      access_log off; ${temporary.join(' ')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${hub.url}; proxy_bind ${proxyAddress};
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto https;
        }
      }
    }`;
}

const throughProxy = (from: string, call: Omit<RawCall, 'from' | 'port'>) => rawCall(hub, { ...call, from, port });
const signIn = (from: string, password = adminPassword, id = 'Admin') =>
  throughProxy(from, { path: '/api/login', body: { id, password }, headers: { 'x-forwarded-for': '203.0.113.9' } });
const sessionOf = (json: { readonly [name: string]: unknown }) => ({
  cookie: `${cookieNames.sid}=${json.token}`,
});
interface Listed {
  readonly list: readonly { readonly ip: string; readonly current: boolean }[];
}

test('the visitor’s address is in the session list and the operation log, and the session cookie is secure', async () => {
  const { json, headers } = await signIn('127.0.20.1');
  expect(json.result).toBe(0);
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${cookieNames.sid}=`));
  expect(cookie).toContain('; Secure');
  const session = { headers: sessionOf(json) };
  const { list } = (await throughProxy('127.0.20.1', { path: '/api/session/list', ...session }))
    .json as never as Listed;
  expect(list.find(({ current }) => current)?.ip).toBe('127.0.20.1');
  const log = await throughProxy('127.0.20.1', { path: '/api/log/list?count=1', ...session });
  expect((log.json as never as Listed).list[0]?.ip).toBe('127.0.20.1');
});

test('without the proxy the same headers are ignored', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
  const body = { id: 'Admin', password: adminPassword };
  const answer = await rawCall(hub, { path: '/api/login', body, headers, from: '127.0.20.2' });
  expect(answer.headers.getSetCookie().join()).not.toContain('; Secure');
  const { json } = await rawCall(hub, { path: '/api/session/list', headers: sessionOf(answer.json) });
  expect((json as never as Listed).list.find(({ current }) => current)?.ip).toBe('127.0.20.2');
});

test('guesses behind the proxy do not delay other visitors', async () => {
  const guesses = Array.from({ length: 200 }, (_, i) => signIn('127.0.20.3', 'wrong', `guess${i}`));
  let isOver = false;
  const all = Promise.allSettled(guesses).finally(() => (isOver = true));
  await Promise.race(guesses);
  expect((await signIn('127.0.20.4')).json.result).toBe(0);
  expect(isOver).toBe(false);
  await all;
});

test('metrics are not available to the proxy’s visitors', async () => {
  const figures = (port: number, host: string) =>
    rawCall(hub, { path: '/metrics', headers: { host }, port }).then(({ status }) => status);
  expect(await figures(hub.ports.http, 'localhost')).toBe(200);
  expect(await figures(port, 'localhost')).toBe(401);
});
