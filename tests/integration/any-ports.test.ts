/** With port 0 in every variable, the hub opens free ports, reports them and keeps them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { isBound } from '../support/bound-port.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

/** These also apply to restarts. */
const anyPorts = Object.fromEntries(
  ['HTTP', 'HTTPS', 'RTMP', 'SRT', 'HLS'].map((name) => [`SIGNALBOX_${name}_PORT`, '0']),
);
let hubs: readonly HubProcess[] = [];
beforeAll(async () => {
  hubs = await Promise.all([startHub({ env: anyPorts }), startHub({ env: anyPorts })]);
  await Promise.all(hubs.map((hub) => hub.login()));
}, 60_000);
afterAll(() => Promise.all(hubs.map((hub) => hub.stop())));

const statusOf = async (hub: HubProcess) =>
  (await hub.api<{ status: SystemStatus }>('/api/system/status')).status.system;

/** Returns the ports on which the engine listens. */
async function openPorts(hub: HubProcess): Promise<Record<string, number | undefined>> {
  const { parts } = await statusOf(hub);
  const listening = parts.filter(({ name, ok }) => ok && ['rtmp', 'srt', 'hls'].includes(name));
  return Object.fromEntries(listening.map(({ name, port }) => [name, port]));
}

test('two hubs run side by side, and each reports its ports everywhere', async () => {
  const [first, second] = await Promise.all(hubs.map(async (hub) => (await statusOf(hub)).ports));
  const tcp = [first, second].flatMap((ports) => [ports?.http, ports?.https, ports?.rtmp, ports?.hls]);
  expect(new Set(tcp).size).toBe(8);
  expect(tcp).not.toContain(0);
  expect(first?.srt).not.toBe(second?.srt);
  for (const [hub, ports] of [
    [hubs[0]!, first!],
    [hubs[1]!, second!],
  ] as const) {
    const { https, ...rest } = ports;
    const { rtmp, srt, hls } = rest;
    expect(hub.ports).toMatchObject({ ...rest, https });
    expect(await openPorts(hub)).toEqual({ rtmp, srt, hls });
    expect(await hub.api('/api/settings/get')).toMatchObject({
      ...{ rtmp: { port: rtmp }, srt: { port: srt } },
      web: { 'http-port': rest.http, 'https-port': https },
    });
    expect(hub.logs()).toContain(`http=${rest.http} https=${https}`);
    const secure = await fetch(`https://127.0.0.1:${https}/api/health`, { tls: { rejectUnauthorized: false } });
    expect(secure.status).toBe(200);
  }
});

test('a new engine and a new SRT endpoint listen on the same ports, so that encoders can reconnect', async () => {
  const hub = hubs[0]!;
  const { rtmp, srt, hls } = hub.ports;
  const engine = await hub.enginePid();
  process.kill(engine, 'SIGKILL');
  const isBack = async () =>
    (await hub.enginePid()) !== engine && Bun.deepEquals(await openPorts(hub), { rtmp, srt, hls });
  await until(isBack, 20_000, 'the next engine listens on the same ports');
  const endpoint = await hub.endpointPid('srt');
  process.kill(endpoint, 'SIGKILL');
  await until(async () => (await hub.endpointPid('srt')) !== endpoint, 20_000, 'the next SRT endpoint runs');
  await until(() => isBound('udp', srt), 20_000, 'it listens on the same port');
});

test('an engine that outlives its hub keeps its ports', async () => {
  const hub = hubs[0]!;
  const { rtmp, srt, hls } = hub.ports;
  const engine = await hub.enginePid();
  await hub.kill('SIGKILL');
  await hub.restart();
  expect(hub.ports).toMatchObject({ rtmp, srt, hls });
  expect(await hub.enginePid()).toBe(engine);
  expect(await openPorts(hub)).toEqual({ rtmp, srt, hls });
});
