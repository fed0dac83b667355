/**
 * What an attacker gets who runs code in a child of the hub. An intruder takes the child's place, is started as the
 * product starts the child, and tries what would lead to the hub's secrets.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../daemon/lib/log.ts';
import { confinedEngine } from '../../daemon/media/engine-command.ts';
import { startFfmpeg } from '../../daemon/media/ffmpeg/process.ts';
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

/** The outcome of each attempt, read from lines `NAME: OUTCOME` at whatever place in a line of the log. */
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
    // It hasn't begun.
    return '';
  }
};

function expectUntouched(): void {
  for (const [name, text] of Object.entries(stored)) {
    expect(readFileSync(join(dataDir, name), 'utf8')).toBe(text);
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
}

/** Of every child. How the kernel refuses a link depends on whether the other folder may be written. */
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
/** Of one that has no children itself. */
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
  'a compromised %s endpoint reaches the network, and neither files, other sockets nor processes',
  async (name) => {
    // The engine may start what lies beside an FFmpeg of one's own.
    startMedia([...engineCommand(dataDir, 1, join(programs, 'ffmpeg')), `--${name}-endpoint`, intruder]);
    const seen = await outcomes(logOfEngine);
    expect(seen).toEqual({
      ...{ ...filesDenied, ...othersDenied, ...leafDenied },
      'internet socket': 'done',
      'stream socket': 'done',
      'multipath socket': 'done',
      'send within a connection request': 'ECONNREFUSED',
      listen: 'done',
      'firewall of the kernel': 'EPROTONOSUPPORT',
      'run a shell': 'EACCES',
    });
    expectUntouched();
  },
);

const noSocket = 'EAFNOSUPPORT';
const unconnected = { 'internet socket': noSocket, 'firewall of the kernel': noSocket };
test.each([
  [
    'that converts has no network',
    {},
    {
      ...unconnected,
      'stream socket': noSocket,
      'multipath socket': noSocket,
      'send within a connection request': noSocket,
      listen: noSocket,
    },
  ],
  [
    'that reads from the RTSP relay can make TCP connections only',
    { sockets: 'tcp', tcpPort: 9 },
    {
      ...unconnected,
      'stream socket': 'done',
      'multipath socket': 'EPROTONOSUPPORT',
      'send within a connection request': 'EPERM',
      listen: 'EPERM',
    },
  ],
] as const)('a compromised FFmpeg %s, no files, other sockets or processes', async (_name, rights, network) => {
  const child = startFfmpeg({ binary: intruder, name: 'intruder', args: [], rights });
  const log = () => child.log().lines.map(({ text }) => text);
  const seen = await outcomes(() => log().join('\n'));
  child.kill();
  // The shell has no more rights than the program that becomes it.
  expect(seen).toEqual({ ...filesDenied, ...othersDenied, ...leafDenied, ...network, 'run a shell': 'done' });
  expectUntouched();
});

test('a compromised engine reads neither the database nor the key', async () => {
  startMedia(confinedEngine([intruder], { dataDir, ffmpeg: 'ffmpeg' }));
  const seen = await outcomes(logOfEngine);
  expect(seen).toMatchObject({ ...filesDenied, ...othersDenied, 'start a process': 'done' });
  expect(seen['link key']).not.toBe('done');
  expectUntouched();
});
