/** A hub without the privilege to open low ports: the error for each, and that a higher port then works. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll } from './live-media.ts';
import { RelayRig } from './relay-rig.ts';

setDefaultTimeout(60_000);

/** Some machines permit them for all users. */
const firstFree = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
const low = 700;
const own = { srt: 701, hls: 702 };
const isTested = low < firstFree;
const denied = { conn: 'tcpFailed', reason: 'notPermitted', state: 'failed' } as const;
const listening = { conn: 'waitingForData', reason: 'noData', state: 'running' } as const;
interface Refused {
  readonly fields?: readonly { readonly rule: string }[];
}
let hub: HubProcess;
let rig: RelayRig;

beforeAll(async () => {
  hub = await startHub({
    isUnprivileged: true,
    env: isTested ? { SIGNALBOX_SRT_PORT: `${own.srt}`, SIGNALBOX_HLS_PORT: `${own.hls}` } : {},
  });
  await hub.login();
  rig = new RelayRig(hub);
});
afterAll(async () => {
  await killAll();
  await hub.stop();
});

test.skipIf(!isTested)('an input over UDP', async () => {
  const host = '127.0.0.1';
  const input = await rig.addInput({ udp: { host, port: low } });
  await input.until(denied);
  await input.change({ udp: { host, port: leasePort() } });
  await input.until(listening);
});

test.skipIf(!isTested)('an input and an output that listen for SRT', async () => {
  const door = { mode: 'listener', host: '127.0.0.1', port: low, latency: 120 };
  const input = await rig.addInput({ srt: door });
  const output = await input.of.addOutput({ srt: door });
  await Promise.all([input.until(denied), output.until(denied)]);
  await input.change({ srt: { ...door, port: leasePort() } });
  await output.change({ srt: { ...door, port: leasePort() } });
  await input.until(listening);
  await output.until({ conn: 'connected', reason: undefined, state: 'running' });
});

test.skipIf(!isTested)('an RTSP output', async () => {
  const channel = await rig.addChannel();
  const output = await channel.addOutput({ port: low, key: 'stage' });
  await output.until(denied);
  await output.change({ port: leasePort(), key: 'stage' });
  await output.until({ conn: 'connected', reason: undefined, state: 'running' });
});

test.skipIf(!isTested)(
  'low ports in the settings are refused, and those in the environment are reported on the dashboard',
  async () => {
    for (const name of ['rtmp', 'srt'] as const) {
      const { result, fields } = await hub.answer<Refused>('/api/settings/set', { [name]: { port: low } });
      expect({ name, isTaken: result === 0, rule: fields?.[0]?.rule }).toEqual({
        name,
        isTaken: false,
        rule: 'privilegedPort',
      });
    }
    for (const [name, port] of Object.entries(own)) {
      const fault = { name, ok: false, reason: 'notPermitted', port };
      const parts = async () => (await hub.api<{ status: SystemStatus }>('/api/system/status')).status.system.parts;
      await until(async () => (await parts()).some((part) => Bun.deepMatch(fault, part)), 10_000, `${name} says so`);
    }
  },
);
