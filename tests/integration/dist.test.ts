/** `make dist`: what it makes, in a system that has only the Debian packages which it names. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemPart, SystemStatus } from '../../daemon/contract/system.ts';
import { leasePort } from '../support/ports.ts';
import { untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { countFrames, fileIn, killAll, publish, record } from './live-media.ts';
import { RelayRig } from './relay-rig.ts';

setDefaultTimeout(240_000);

const root = join(import.meta.dir, '../..');
/** Mounting folders and changing the root folder need root. */
const isRoot = process.getuid?.() === 0;
const own = Bun.spawnSync(['dpkg', '--print-architecture']).stdout.toString().trim();
const folder = mkdtempSync(join(tmpdir(), 'sb-dist-'));
afterAll(async () => {
  await killAll();
  rmSync(folder, { recursive: true });
});

async function run(...command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${out}${err}`);
}

/** Packages that the program cannot do without. */
function neededPackages(): string[] {
  const [needed = ''] = readFileSync(join(root, 'system/packages'), 'utf8').split('# Recommended');
  return needed.split('\n').filter((line) => /^[a-z]/.test(line));
}

/** Makes a system with these packages and the program in /usr/local. */
async function makeSystem(architecture: string): Promise<string> {
  const system = join(root, 'build/dist-test', architecture);
  await run('make', 'dist', `ARCH=${architecture}`);
  await run('system/dev/sysroot.sh', system, architecture, 'libc6', ...neededPackages());
  for (const name of ['proc', 'dev', 'tmp']) mkdirSync(join(system, name), { recursive: true });
  rmSync(join(system, 'usr/local'), { recursive: true, force: true });
  cpSync(join(root, 'build/dist', architecture), join(system, 'usr/local'), { recursive: true });
  return system;
}

const program = '/usr/local/bin/signalbox';
const inside = (system: string): string[] => [join(import.meta.dir, 'in-other-root.sh'), system];
const partsOf = async (hub: HubProcess) =>
  (await hub.api<{ status: SystemStatus }>('/api/system/status')).status.system.parts;

test.skipIf(!isRoot)('the program relays a stream and serves the console in a bare Debian', async () => {
  const system = await makeSystem(own);
  const hub = await startHub({ program: ['unshare', '--mount', ...inside(system), program] });
  try {
    await hub.login();
    expect((await fetch(hub.url)).headers.get('content-type')).toStartWith('text/html');
    const haveEndpoints = (parts: readonly SystemPart[]) =>
      ['srt', 'udp'].every((name) => parts.some((part) => part.name === name && part.ok));
    const parts = await untilSeen(() => partsOf(hub), haveEndpoints, 20_000, 'the endpoints run');
    // The package of FFmpeg is only recommended.
    expect(parts.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['ffmpeg']);
    const channel = await new RelayRig(hub).addChannel();
    publish(channel.push.srt);
    await channel.untilLive();
    const file = fileIn(folder, 'played.ts');
    await record(channel.play.rtmp, file, 2).exited;
    expect((await countFrames(file)).frames).toBeGreaterThan(25);
  } finally {
    await hub.stop();
  }
});

test.skipIf(!isRoot || own === 'arm64')('the program for arm64 answers in an emulated system', async () => {
  const system = await makeSystem('arm64');
  const port = leasePort();
  const hub = Bun.spawn(['unshare', '--user', '--map-root-user', '--mount', ...inside(system), program, 'hub'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: {
      PATH: process.env.PATH ?? '',
      EMULATE: 'arm64',
      SIGNALBOX_DATA_DIR: join(folder, 'arm64'),
      SIGNALBOX_BIND: '127.0.0.1',
      SIGNALBOX_HTTP_PORT: String(port),
      ...Object.fromEntries(['RTMP', 'SRT', 'HLS', 'LINK'].map((name) => [`SIGNALBOX_${name}_PORT`, '0'])),
    },
  });
  const log = new Response(hub.stderr).text();
  try {
    const ask = async () => {
      if (hub.exitCode !== null) throw new Error(await log);
      return fetch(`http://127.0.0.1:${port}/api/health`).then(
        (response) => response.json(),
        () => undefined,
      );
    };
    expect(await untilSeen(ask, (health) => health !== undefined, 120_000, 'the hub answers')).toMatchObject({
      result: 0,
    });
    // Without its socket, an endpoint says what it needs.
    for (const name of ['rtmp-endpoint', 'srt-endpoint', 'udp-endpoint']) {
      const command = ['unshare', '--user', '--map-root-user', '--mount', ...inside(system)];
      const endpoint = Bun.spawnSync([...command, `/usr/local/lib/signalbox/${name}`], {
        env: { PATH: process.env.PATH ?? '', EMULATE: 'arm64' },
      });
      expect(endpoint.stderr.toString()).toContain('--socket');
    }
  } finally {
    hub.kill('SIGTERM');
    await hub.exited;
  }
});
