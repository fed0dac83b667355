/** A move of the console that nobody confirms at the new port is undone, also by a power cut. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterAll(() => hub.stop());

const answers = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/api/health`)).ok;
  } catch {
    return false;
  }
};
const post = async (port: number, path: string, body: object) => {
  const init = { method: 'POST', headers: { ...hub.headers(), 'content-type': 'application/json' } };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { ...init, body: JSON.stringify(body) })).json();
};
const move = (port: number, seconds: number) =>
  post(hub.ports.http, '/api/settings/set', { web: { 'http-port': port }, 'confirm-within': seconds });

test('it returns to the old port when the time is over', async () => {
  const port = leasePort();
  expect(await move(port, 10)).toMatchObject({ result: 0 });
  await until(() => answers(port));
  await until(async () => !(await answers(hub.ports.http)), 10_000, 'the old port is closed');
  await until(() => answers(hub.ports.http), 20_000, 'the hub is back at the old port');
  await until(async () => !(await answers(port)), 10_000, 'the new port is closed');
  const { list } = await hub.api<{ list: readonly { action: string }[] }>('/api/log/list');
  expect(list.map(({ action }) => action)).toContain('settings.revert');
});

test('it returns to the old port when the hub is killed meanwhile', async () => {
  const port = leasePort();
  expect(await move(port, 600)).toMatchObject({ result: 0 });
  await until(() => answers(port));
  await hub.kill('SIGKILL');
  await hub.restart();
  expect([await answers(hub.ports.http), await answers(port)]).toEqual([true, false]);
});

test('it stays at the new port once that is confirmed there, also after a kill', async () => {
  const port = leasePort();
  expect(await move(port, 600)).toMatchObject({ result: 0 });
  await until(() => answers(port));
  expect(await post(port, '/api/settings/confirm', { group: 'web' })).toMatchObject({ result: 0 });
  expect(await post(port, '/api/settings/confirm', { group: 'web' })).toMatchObject({ result: 38 });
  await hub.kill('SIGKILL');
  await hub.restart();
  expect(await answers(port)).toBe(true);
});
