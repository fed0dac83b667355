/** The hub's own NDI discovery server: a double of the vendor's program, confined as the program would be. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../daemon/lib/log.ts';
import { createDiscoveryServer } from '../../daemon/ndi/discovery-server.ts';
import { leasePort } from '../support/ports.ts';
import { untilSeen } from '../support/until.ts';

setDefaultTimeout(60_000);

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-server-'));
  const states: string[] = [];
  const server = createDiscoveryServer({
    ...{ dataDir: join(folder, 'data'), log: createLog('error'), folders: [folder] },
    timing: { lookMs: 20, firstBackoffMs: 20 },
    onChange: () => states.push(server.state().state),
  });
  ended.push(() => rmSync(folder, { recursive: true, force: true }), server.close);
  return {
    ...{ folder, server },
    states,
    install() {
      const source = join(import.meta.dir, '../sim/ndi/discovery-server.c');
      const compiled = Bun.spawnSync(['gcc', '-O1', '-Wall', '-Werror', '-o', join(folder, 'new'), source]);
      expect(compiled.stderr.toString()).toBe('');
      Bun.spawnSync(['mv', join(folder, 'new'), join(folder, 'ndi-discovery-server')]);
    },
    reaches: (state: string) => untilSeen(server.state, (now) => now.state === state),
  };
}

/** Whether a port of this machine accepts a connection; then `said` is sent over it. */
const reached = (port: number, said = ''): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.end(said, () => answer(true)));
    socket.on('error', () => answer(false));
  });

test('the hub waits until the program is installed, starts it, restarts it when it ends, and stops it', async () => {
  const { folder, server, states, install, reaches } = open();
  expect(server.state()).toEqual({ state: 'disabled' });
  const port = leasePort();
  await server.apply({ enabled: true, port });
  expect(server.state()).toEqual({ state: 'waiting', fault: 'notInstalled', folders: [folder] });
  install();
  await reaches('started');
  expect(await reached(port)).toBe(true);
  expect(states).toEqual(['waiting', 'starting', 'started']);
  expect(await reached(port, 'x')).toBe(true);
  await untilSeen(
    () => states,
    (all) => all.length === 6,
  );
  expect(states.slice(3)).toEqual(['waiting', 'starting', 'started']);
  const other = leasePort();
  await server.apply({ enabled: true, port: other });
  await reaches('started');
  expect([await reached(port), await reached(other)]).toEqual([false, true]);
  await server.apply({ enabled: false, port: other });
  expect([server.state().state, await reached(other)]).toEqual(['disabled', false]);
});

test('a port that another program uses is reported, and used once it is free', async () => {
  const { server, install, reaches } = open();
  install();
  const other = createServer().listen(0, '0.0.0.0');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await server.apply({ enabled: true, port });
  await untilSeen(server.state, (now) => now.state === 'waiting' && 'inMs' in now && now.inMs > 0);
  expect(server.state()).toMatchObject({ fault: 'ended', reason: `port ${port} is in use` });
  other.close();
  await reaches('started');
});
