import { expect, test } from 'bun:test';
import type { NdiDesired, NdiDesiredOutput } from './port.ts';
import { createRouterDouble } from './router-double-for-test.ts';

const desired = (outputs: readonly NdiDesiredOutput[]): NdiDesired => ({
  baseName: 'hub',
  groups: { send: '', receive: '' },
  discovery: { servers: '', extraIps: '' },
  outputs,
});
const output = (id: number, source: string | null, name = `Out ${id}`): NdiDesiredOutput => ({
  ...{ id, name, group: '', source },
});

test('a route to a source that appears later shows its picture once it is there', async () => {
  const { port, addSource, pictureOf } = createRouterDouble();
  port.configure(desired([output(1, null)]));
  expect(await port.route([{ id: 1, source: 'A (1)' }])).toEqual([{ id: 1, result: 'applied' }]);
  expect(port.outputs()).toEqual([{ id: 1, fullName: 'HUB (Out 1)', applied: 'A (1)', receivers: 0 }]);
  expect(pictureOf(1)).toBeNull();
  addSource('A (1)');
  expect(pictureOf(1)).toBe('A (1)');
});

test('own outputs are sources, too; a chain shows its end, and a loop nothing', async () => {
  const { port, pictureOf } = createRouterDouble(['A (1)']);
  port.configure(desired([output(1, 'A (1)'), output(2, 'HUB (Out 1)')]));
  expect(port.sources()).toEqual([
    { name: 'A (1)', isOwn: false },
    { name: 'HUB (Out 1)', isOwn: true },
    { name: 'HUB (Out 2)', isOwn: true },
  ]);
  expect(pictureOf(2)).toBe('A (1)');
  await port.route([{ id: 1, source: 'HUB (Out 2)' }]);
  expect(pictureOf(2)).toBeNull();
});

test('an output whose name is taken does not exist until it is renamed', async () => {
  const { port, takeName } = createRouterDouble(['A (1)']);
  takeName('HUB (Out 1)');
  port.configure(desired([output(1, null), output(2, null, 'Same'), output(3, null, 'Same')]));
  const changes = [1, 2, 3, 4].map((id) => ({ id, source: 'A (1)' }));
  const results = (await port.route(changes)).map(({ result }) => result);
  expect(results).toEqual(['nameTaken', 'applied', 'nameTaken', 'failed']);
  port.configure(desired([output(1, 'A (1)', 'Free')]));
  expect(port.outputs()).toMatchObject([{ fullName: 'HUB (Free)', applied: 'A (1)' }]);
});

test('while the process is away nothing is applied; the next one applies what was requested meanwhile', async () => {
  const { port, die, revive } = createRouterDouble(['A (1)']);
  port.configure(desired([output(1, null)]));
  die();
  await expect(port.route([{ id: 1, source: 'A (1)' }])).rejects.toMatchObject({ result: 'noResponse' });
  expect(port.outputs()).toEqual([{ id: 1, fullName: '', applied: null, receivers: 0 }]);
  expect(port.sources()).toEqual([]);
  let changes = 0;
  port.onChange(() => changes++);
  revive();
  expect(changes).toBe(1);
  expect(port.outputs()).toMatchObject([{ applied: 'A (1)' }]);
});
