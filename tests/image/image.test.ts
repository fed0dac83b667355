/** The container image, built and run by buildah without a daemon: `make test-image`. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { leasePort } from '../support/ports.ts';
import { untilSeen } from '../support/until.ts';

setDefaultTimeout(900_000);
if (process.getuid?.() !== 0) throw new Error('Building without a daemon needs root: run "sudo make test-image".');

const root = join(import.meta.dir, '../..');
const image = 'localhost/signalbox-test';
const isolation = ['--isolation', 'chroot'];
const containers: string[] = [];
afterAll(async () => {
  for (const container of containers) await buildah('rm', container);
});

async function buildah(...args: readonly string[]): Promise<string> {
  const child = Bun.spawn(['buildah', ...args], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`buildah ${args.join(' ')}\n${out}${err}`);
  return out.trim();
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

test('the image runs the hub without root, and its health check sees it', async () => {
  const base = ['--build-arg', 'BASE=localhost/signalbox-test-base', '--pull-never'];
  await buildah('build', ...isolation, ...base, '--tag', image, '--file', 'system/Containerfile', '.');
  const container = await buildah('from', '--pull-never', image);
  containers.push(container);
  const names = ['HTTP', 'HTTPS', 'RTMP', 'SRT', 'HLS', 'LINK', 'CONSOLE'];
  const ports = new Map(names.map((name) => [name, leasePort()]));
  const env = [...ports].flatMap(([name, port]) => ['--env', `SIGNALBOX_${name}_PORT=${port}`]);
  const inside = (...command: readonly string[]) => buildah('run', ...isolation, ...env, container, '--', ...command);
  expect(await inside('id', '-un')).toBe('signalbox');
  // One that does not run is not healthy.
  await expect(inside('signalbox', 'health')).rejects.toThrow('signalbox health');

  const hub = inside('signalbox', 'hub');
  const url = `http://127.0.0.1:${ports.get('HTTP')}`;
  await Promise.race([hub, untilSeen(() => isHealthy(url), Boolean, 30_000, 'the hub in the container is healthy')]);
  expect((await fetch(url)).headers.get('content-type')).toStartWith('text/html');
  await inside('signalbox', 'health');
  // The chroot shares the processes of this machine.
  const { pid } = JSON.parse(await inside('cat', '/var/lib/signalbox/run/ports.json')) as { readonly pid?: number };
  expect(pid).toBeNumber();
  process.kill(pid ?? 0, 'SIGTERM');
  await hub;
});
