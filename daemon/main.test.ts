/** The hub as a process: how it starts, what it refuses, how it ends. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainProgram } from '../tests/support/main-program.ts';
import { leasePort } from '../tests/support/ports.ts';
import { untilSeen } from '../tests/support/until.ts';
import { variables } from './config.ts';
import { markProcess } from './process/process-mark.ts';
import { exitCodes } from './roles/role.ts';
import { version } from './version.ts';

setDefaultTimeout(20_000);

const adminPassword = 'behind-the-curtain';
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

type Env = Record<string, string>;

function spawn(args: string[], env: Env = {}, input = '') {
  const child = Bun.spawn([process.execPath, mainProgram, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    ...{ stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' },
  });
  cleanUp.push(async () => {
    child.kill('SIGKILL');
    await child.exited;
  });
  let log = '';
  const waiting = new Set<() => void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) {
      log += decoder.decode(bytes, { stream: true });
      for (const look of waiting) look();
    }
  })();
  /** Resolves as soon as the log contains `text`; rejects when the process ends first. */
  const untilLogged = (text: string) =>
    new Promise<void>((done, fail) => {
      const look = () => {
        if (log.includes(text)) done();
      };
      waiting.add(look);
      look();
      void child.exited.then(() => fail(new Error(`ended with: ${log}`)));
    });
  return { child, log: () => log, untilLogged, stdout: () => new Response(child.stdout).text() };
}

async function environment(): Promise<Env> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-main-'));
  cleanUp.push(() => {
    endEngine(dir);
    rmSync(dir, { recursive: true });
  });
  return {
    SIGNALBOX_DATA_DIR: join(dir, 'var'),
    SIGNALBOX_BIND: '127.0.0.1',
    SIGNALBOX_HTTP_PORT: String(leasePort()),
    SIGNALBOX_HTTPS_PORT: 'off',
    SIGNALBOX_RTMP_PORT: '0',
    SIGNALBOX_SRT_PORT: '0',
    SIGNALBOX_HLS_PORT: '0',
    SIGNALBOX_LINK_PORT: '0',
    SIGNALBOX_ADMIN_PASSWORD: adminPassword,
  };
}

/** The engine of a killed hub keeps running; a test must not leave it behind. */
function endEngine(dir: string): void {
  const pid = enginePid(join(dir, 'var'));
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its hub.
  }
}

function enginePid(dataDir: string): number {
  try {
    return Number(readFileSync(join(dataDir, 'run', 'engine.pid'), 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

const urlOf = (env: Env) => `http://127.0.0.1:${env.SIGNALBOX_HTTP_PORT}`;

async function startHub(env: Env) {
  const hub = spawn(['hub'], env);
  await hub.untilLogged('hub is ready');
  return hub;
}

async function signIn(env: Env, password = adminPassword): Promise<string> {
  const response = await fetch(`${urlOf(env)}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'Admin', password }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function post(env: Env, token: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', cookie: `mwcloud-sid=${token}` };
  const response = await fetch(urlOf(env) + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

test('the help lists every variable and exit code; the version is that of the package', async () => {
  const text = await spawn(['hub', '--help']).stdout();
  for (const { name } of Object.values(variables)) expect(text).toContain(name);
  for (const code of Object.values(exitCodes)) expect(text).toContain(`\n  ${code}  `);
  const shown = spawn(['--version']);
  expect(await shown.stdout()).toBe(`${version}\n`);
});

test('the help lists the roles, each of which has its own', async () => {
  const help = spawn(['--help']);
  const text = await help.stdout();
  expect(await help.child.exited).toBe(0);
  const roles = [...text.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = '']) => name);
  expect(roles).toEqual([
    ...['hub', 'media', 'agent', 'helper', 'apply', 'backup', 'ndi-router'],
    ...['ndi-thumb', 'ndi-probe', 'ndi-input', 'ndi-output', 'health', 'reset-admin'],
  ]);
  const helps = await Promise.all(roles.map((name) => spawn([name, '--help']).stdout()));
  for (const [at, name] of roles.entries()) expect(helps[at]).toStartWith(`Usage: bun daemon/main.ts ${name}`);
  const wrong = spawn(['media', '--dir', 'x']);
  expect(await wrong.child.exited).toBe(2);
  expect(wrong.log()).toContain("Unknown option '--dir'");
});

test('an unknown role and an invalid setting end with code 2 and one clear line', async () => {
  const role = spawn(['hubb']);
  expect(await role.child.exited).toBe(2);
  expect(role.log()).toStartWith('there is no role hubb');
  const setting = spawn(['hub'], { SIGNALBOX_HTTP_PORT: '99999' });
  expect(await setting.child.exited).toBe(2);
  expect(setting.log()).toBe(
    'SIGNALBOX_HTTP_PORT is "99999": a port is a whole number from 1 to 65535, or 0 for any free one\n',
  );
});

test('a time divisor is logged as a warning and passed to the engine', async () => {
  const env = await environment();
  const hub = await startHub({ ...env, SIGNALBOX_TIME_DIVISOR: '5' });
  expect(hub.log()).toMatch(/ warn .*waiting times are divided, for tests only by=5/);
  await hub.untilLogged('media engine started');
  const pid = enginePid(env.SIGNALBOX_DATA_DIR ?? '');
  // The process of this pid becomes the launcher, then the engine, and shows nothing in between.
  const environmentOf = () => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  await untilSeen(environmentOf, (seen) => seen.includes('SIGNALBOX_TIME_DIVISOR=5'), 5000, 'the divisor');
});

test('the first password is removed from the environment of hub and engine, and a weak one ends with code 2', async () => {
  const env = await environment();
  const weak = spawn(['hub'], { ...env, SIGNALBOX_ADMIN_PASSWORD: 'password1234' });
  expect(await weak.child.exited).toBe(2);
  expect(weak.log()).toContain('SIGNALBOX_ADMIN_PASSWORD: password: it is one of the passwords that are guessed first');
  expect(weak.log()).not.toContain('password1234');
  const hub = await startHub(env);
  await hub.untilLogged('media engine started');
  for (const pid of [hub.child.pid, enginePid(env.SIGNALBOX_DATA_DIR ?? '')]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(adminPassword);
  }
  expect(await signIn(env)).toMatch(/^[A-Z]{32}$/);
});

test('reset-admin sets another password for Admin while the hub is stopped, and ends sessions and tokens of Admin', async () => {
  const env = { ...(await environment()), SIGNALBOX_VARIANT: 'hardware' };
  const hub = await startHub(env);
  const session = await signIn(env);
  const { token } = await post(env, session, '/api/token/add', { name: 'script', password: adminPassword });
  const busy = spawn(['reset-admin'], env, 'through-the-window\n');
  expect(await busy.child.exited).toBe(3);
  expect(busy.log()).toMatch(/another hub .* uses the data folder .*; stop it first/);
  hub.child.kill('SIGTERM');
  await hub.child.exited;

  const weak = spawn(['reset-admin'], env, 'strawberry\n');
  expect(await weak.child.exited).toBe(2);
  const reset = spawn(['reset-admin'], env, 'through-the-window\n');
  expect(await reset.child.exited).toBe(0);
  expect(reset.log()).not.toContain('through-the-window');

  await startHub(env);
  const whoIs = async (headers: Record<string, string>) =>
    ((await (await fetch(`${urlOf(env)}/api/session`, { headers })).json()) as { result: number }).result;
  expect(await whoIs({ cookie: `mwcloud-sid=${session}` })).toBe(37);
  expect(await whoIs({ authorization: `Bearer ${token}` })).toBe(37);
  expect(await signIn(env)).toBeUndefined();
  const now = await signIn(env, 'through-the-window');
  const headers = { cookie: `mwcloud-sid=${now}` };
  const log = await (await fetch(`${urlOf(env)}/api/log/list`, { headers })).text();
  expect(log).toContain('"action":"user.reset"');
});

test('reset-admin creates no hub where none exists', async () => {
  const env = await environment();
  const reset = spawn(['reset-admin'], env, 'through-the-window\n');
  expect(await reset.child.exited).toBe(3);
  expect(reset.log()).toContain('there is no data folder');
});

test('an unusable data folder ends with code 3, a busy HTTP port with code 4', async () => {
  const env = await environment();
  const folder = spawn(['hub'], { ...env, SIGNALBOX_DATA_DIR: '/proc/nowhere' });
  expect(await folder.child.exited).toBe(3);
  expect(folder.log()).toContain("/proc/nowhere can't be written");
  const blocker = createServer().listen(Number(env.SIGNALBOX_HTTP_PORT), '127.0.0.1');
  cleanUp.push(() => blocker.close());
  await once(blocker, 'listening');
  const port = spawn(['hub'], env);
  expect(await port.child.exited).toBe(4);
  expect(port.log()).toContain(`HTTP does not start: port ${env.SIGNALBOX_HTTP_PORT} is in use`);
});

test('SIGTERM ends hub, engine and event streams cleanly with code 0', async () => {
  const env = await environment();
  const hub = await startHub(env);
  const token = await signIn(env);
  const headers = { cookie: `mwcloud-sid=${token}` };
  const events = await fetch(`${urlOf(env)}/api/events?topics=system`, { headers });
  const text = events.text();
  await hub.untilLogged('media engine connected');
  const engine = enginePid(env.SIGNALBOX_DATA_DIR!);
  const began = performance.now();
  hub.child.kill('SIGTERM');
  expect(await hub.child.exited).toBe(0);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(await text).toContain('event: init');
  expect(hub.log()).toContain('hub stopped reason=SIGTERM');
  // It may not be reaped yet: that is the job of the process that inherited it.
  expect(markProcess(engine)).toBeUndefined();
});

test('the same stop signal from a terminal and its launcher counts once', async () => {
  const hub = await startHub(await environment());
  hub.child.kill('SIGTERM');
  await hub.untilLogged('hub stops');
  hub.child.kill('SIGINT');
  expect(await hub.child.exited).toBe(0);
  expect(hub.log()).toContain('hub stopped reason=SIGTERM');
});

test('a hub is ready once its listeners are open, or have reported why they are not', async () => {
  const rtmp = leasePort();
  const env = { ...(await environment()), SIGNALBOX_RTMP_PORT: String(rtmp) };
  const answers = (at: Env) =>
    fetch(`${urlOf(at)}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const hub = spawn(['hub'], env);
  // Without a pause in between: health must be true at once.
  while (!(await answers(env))) if (hub.child.exitCode !== null) throw new Error(hub.log());
  const socket = await Bun.connect({ hostname: '127.0.0.1', port: rtmp, socket: { data: () => {} } });
  socket.end();

  const other = { ...(await environment()), SIGNALBOX_RTMP_PORT: String(rtmp) };
  const without = await startHub(other);
  expect(await answers(other)).toBe(true);
  expect(without.log()).toContain(`port ${rtmp} is occupied`);
});

test('a second hub on the same folder is refused; the first one continues', async () => {
  const env = await environment();
  const hub = await startHub(env);
  const second = spawn(['hub'], { ...env, SIGNALBOX_HTTP_PORT: '0' });
  expect(await second.child.exited).toBe(3);
  expect(second.log()).toContain(`another hub (process ${hub.child.pid}) uses the data folder`);
  expect((await fetch(`${urlOf(env)}/api/health`)).status).toBe(200);
});

test('a killed hub restarts with everything that was acknowledged', async () => {
  const env = await environment();
  const hub = await startHub(env);
  const token = await signIn(env);
  const added = await post(env, token, '/api/channel/add', { name: 'Studio' });
  expect(added.result).toBe(0);
  hub.child.kill('SIGKILL');
  await hub.child.exited;
  await startHub(env);
  const headers = { cookie: `mwcloud-sid=${token}` };
  const response = await fetch(`${urlOf(env)}/api/channel/query?id=${added.id}`, { headers });
  expect(await response.json()).toMatchObject({ result: 0, name: 'Studio' });
});

test('the console moves to another port while the request for it is answered', async () => {
  const env = await environment();
  await startHub(env);
  const token = await signIn(env);
  const next = leasePort();
  expect(await post(env, token, '/api/settings/set', { web: { 'http-port': next } })).toMatchObject({ result: 0 });
  const moved = { ...env, SIGNALBOX_HTTP_PORT: String(next) };
  expect((await fetch(`${urlOf(moved)}/api/health`)).status).toBe(200);
  await expect(fetch(`${urlOf(env)}/api/health`)).rejects.toThrow();
});
