import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { leasePort, leasePorts } from './ports.ts';

/** Starts a process that leases a port, prints it, and keeps it until its stdin ends. */
function lessee() {
  const script = `import { leasePort } from ${JSON.stringify(join(import.meta.dir, 'ports.ts'))};
    console.log(leasePort()); for await (const _ of Bun.stdin.stream());`;
  return Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' });
}

async function portOf(child: ReturnType<typeof lessee>): Promise<number> {
  const { value } = await child.stdout.getReader().read();
  return Number(new TextDecoder().decode(value));
}

test('each port is leased once, alone or in a row', () => {
  const ports = [leasePort(), leasePorts(3), leasePort()];
  expect(new Set([ports[0], ports[1]!, ports[1]! + 1, ports[1]! + 2, ports[2]]).size).toBe(5);
  expect(() => leasePorts(64)).toThrow('a slice has 63 ports');
});

test('processes that lease ports at the same time do not share a slice', async () => {
  const children = Array.from({ length: 8 }, lessee);
  const ports = await Promise.all(children.map(portOf));
  const slices = [leasePort(), ...ports].map((port) => Math.floor((port - 10_240) / 64));
  for (const child of children) child.stdin.end();
  expect(new Set(slices).size).toBe(9);
  await Promise.all(children.map(({ exited }) => exited));
});
