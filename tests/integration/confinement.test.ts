/**
 * The possibilities of an attacker who runs code in a child of the hub. An intruder replaces the child, is started in
 * the same way as in the product, and tries to reach the hub's secrets.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confinedEndpoint } from '../../daemon/engine/endpoint/endpoint.ts';
import { confinedFfmpeg } from '../../daemon/engine/ffmpeg/process.ts';
import { launcher } from '../../daemon/lib/confined.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { confinedEngine } from '../../daemon/media/engine-command.ts';
import { createMediaPort, type MediaPort } from '../../daemon/media/port.ts';
import { engineLog, untilSeen } from '../support/until.ts';
import { engineCommand } from './live-engine.ts';

setDefaultTimeout(60_000);

const dataDir = mkdtempSync(join(tmpdir(), 'sb-confinement-'));
const programs = mkdtempSync(join(tmpdir(), 'sb-intruder-'));
const intruder = join(programs, 'intruder');
const stored = { 'hub.sqlite': 'what the hub stores', 'secrets.key': 'what it is encrypted with' } as const;
const media: MediaPort[] = [];

type Outcomes = Readonly<Record<string, string>>;

beforeAll(() => {
  const source = join(import.meta.dir, 'confinement/intruder.c');
  const defined = [`-DDATA="${dataDir}"`, `-DHUB_PID=${process.pid}`];
  const made = Bun.spawnSync(['cc', '-D_GNU_SOURCE', '-Wall', '-Werror', ...defined, '-o', intruder, source]);
  if (!made.success) throw new Error(made.stderr.toString());
  mkdirSync(join(dataDir, 'run'), { mode: 0o700 });
  for (const [name, text] of Object.entries(stored)) writeFileSync(join(dataDir, name), text, { mode: 0o600 });
});
afterEach(async () => {
  for (const one of media.splice(0)) await one.close('test over');
  rmSync(join(dataDir, 'log'), { recursive: true, force: true });
});
afterAll(() => {
  for (const folder of [dataDir, programs]) rmSync(folder, { recursive: true, force: true });
});

function startMedia(command: readonly string[]): void {
  const port = createMediaPort({ dataDir, ffmpeg: 'ffmpeg', log: createLog('error', () => undefined), command });
  media.push(port);
  port.start();
}

/** The outcome of each attempt, read from `NAME: OUTCOME` anywhere in a line of the log. */
async function outcomes(log: () => string): Promise<Outcomes> {
  const text = await untilSeen(log, (seen) => seen.includes('run a shell'), 30_000, 'the intruder has tried all');
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, outcome] = /(?:info|info {2}\S+:) ([\w ]+): (\w+)$/.exec(line) ?? [];
      return name && outcome ? [[name, outcome]] : [];
    }),
  );
}

const logOfEngine = () => {
  try {
    return readFileSync(join(dataDir, engineLog), 'utf8');
  } catch {
    // It has not started.
    return '';
  }
};

function expectUntouched(): void {
  for (const [name, text] of Object.entries(stored)) {
    expect(readFileSync(join(dataDir, name), 'utf8')).toBe(text);
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
}

/** Denied to every child. How the kernel refuses a link depends on whether the other folder is writable. */
const filesDenied = {
  'read database': 'EACCES',
  'read key': 'EACCES',
  'write database': 'EACCES',
  'cut database': 'EPERM',
  'open key to all': 'EPERM',
  'remove key': 'EACCES',
  'rename database': 'EACCES',
  'create file': 'EACCES',
  'create folder': 'EACCES',
  'list data folder': 'EACCES',
};
const othersDenied = {
  'read environment of the hub': 'EACCES',
  'trace the hub': 'EPERM',
  'read memory of the hub': 'EPERM',
  'new namespaces': 'EPERM',
  io_uring: 'ENOSYS',
};
/** Denied to a child that has no children. */
const leafDenied = {
  'watch data folder': 'EPERM',
  'signal the hub by a pipe': 'EPERM',
  'slow down the hub': 'EPERM',
  'move the hub': 'EPERM',
  'read users of the system': 'EACCES',
  'connect to engine': 'EAFNOSUPPORT',
  'connect to endpoint': 'EAFNOSUPPORT',
  'datagram to a path': 'EPERM',
  'signal the hub': 'EPERM',
  'signal the parent': 'EPERM',
  'start a process': 'EPERM',
  'link key': 'EACCES',
};

test.each(['srt', 'udp'])(
  'a compromised %s endpoint reaches the network, but no files, other sockets or processes',
  async (name) => {
    // The engine may start programs in the folder of a custom FFmpeg.
    startMedia([...engineCommand(dataDir, 1, join(programs, 'ffmpeg')), `--${name}-endpoint`, intruder]);
    const seen = await outcomes(logOfEngine);
    expect(seen).toEqual({
      ...{ ...filesDenied, ...othersDenied, ...leafDenied },
      'internet socket': 'done',
      'stream socket': 'done',
      'raw socket': 'EPERM',
      'multipath socket': 'done',
      'send within a connection request': 'ECONNREFUSED',
      listen: 'done',
      'firewall of the kernel': 'EPROTONOSUPPORT',
      'run a shell': 'EACCES',
    });
    expectUntouched();
  },
);

test.each([
  ['FFmpeg', () => confinedFfmpeg([intruder], {})],
  ['RTMP endpoint', (path: string) => confinedEndpoint(intruder, path, {})],
])('a compromised %s has no network, no files, no other sockets or processes', async (name, command) => {
  const log = join(programs, `log of ${name}`);
  const path = join(programs, 'own.sock');
  using _listener = Bun.listen({ unix: path, socket: { data: () => undefined } });
  const child = Bun.spawn(command(path), { stdio: ['ignore', 'ignore', Bun.file(log)] });
  const seen = await outcomes(() => readFileSync(log, 'utf8'));
  child.kill('SIGKILL');
  const noSocket = 'EAFNOSUPPORT';
  expect(seen).toEqual({
    ...{ ...filesDenied, ...othersDenied, ...leafDenied },
    ...{ 'internet socket': noSocket, 'firewall of the kernel': noSocket, 'stream socket': noSocket },
    'raw socket': noSocket,
    ...{ 'multipath socket': noSocket, 'send within a connection request': noSocket, listen: noSocket },
    // The shell has no more rights than the program that becomes it. FFmpeg may use its libraries.
    'run a shell': name === 'FFmpeg' ? 'done' : 'EACCES',
  });
  expectUntouched();
});

const isRoot = process.getuid?.() === 0;
test.skipIf(!isRoot)(
  'a child of root, or of a process that passes on capabilities, has only the two that are kept',
  () => {
    const passed = '+net_raw,+sys_time,+net_bind_service';
    const command = ['setpriv', `--inh-caps=${passed}`, `--ambient-caps=${passed}`, launcher];
    const child = Bun.spawnSync([...command, '--run', '/usr/bin', '--', '/usr/bin/grep', 'Cap', '/proc/self/status']);
    const sets = child.stdout.toString().matchAll(/^Cap(\w+):\s+(\w+)$/gm);
    const kept = (1n << 10n) | (1n << 1n); // CAP_NET_BIND_SERVICE, CAP_DAC_OVERRIDE
    const more = [...sets].map(([, set, bits]) => [set, BigInt(`0x${bits}`) & ~kept]);
    expect(more).toEqual(['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((set) => [set, 0n]));
  },
);

test('a compromised engine reads neither the database nor the key', async () => {
  startMedia(confinedEngine([intruder], { dataDir, ffmpeg: 'ffmpeg' }));
  const seen = await outcomes(logOfEngine);
  expect(seen).toMatchObject({ ...filesDenied, ...othersDenied, 'start a process': 'done' });
  expect(seen['link key']).not.toBe('done');
  expectUntouched();
});
