import { afterAll, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { limits } from '../../contract/limits.ts';
import { SystemStatus, systemApi } from '../../contract/system.ts';
import { version } from '../../version.ts';

const hub = await composedHub();
afterAll(hub.remove);
const as = await hub.signIn('Admin');

test('the status has the published form with version, host, session time and ports', async () => {
  const { status } = await hub.json('/api/system/status', { as });
  expect(SystemStatus.parse(status)).toEqual(status);
  const { info, ports, channel, device, addresses } = status.system;
  expect(info).toMatchObject({
    'cloud-version': version,
    'host-name': hostname(),
    'expired-time': 30,
    'build-id': 'none',
  });
  expect(Math.abs(info['date-time'] - Date.now() / 1000)).toBeLessThan(5);
  expect(ports).toEqual({ rtmp: 1935, srt: 8000, hls: 8080, http: 0, https: null, link: 0 });
  expect(addresses).toEqual([]);
  expect(channel).toMatchObject({ 'limit-num': limits.channels, 'used-num': 0 });
  expect(device).toEqual({
    ...{
      'num-all': 0,
      'num-online': 0,
      'num-offline': 0,
      'num-warn': 0,
      'num-pending': 0,
      'num-rejected': 0,
      'num-clash': 0,
    },
    'limit-num': limits.devices,
  });
  expect(status).toMatchObject({
    'license-reg': { status: -20 },
    'cur-license': { 'max-channel-count': channel['limit-num'], 'max-dev-count': limits.devices },
  });
  expect(status.system.parts).toEqual([{ name: 'engine', ok: true }]);
});

test('the totals follow the existing channels', async () => {
  await hub.post('/api/channel/add', { name: 'Studio' }, as);
  const { status } = await hub.json('/api/system/status', { as });
  expect(status.system.channel['used-num']).toBe(1);
});

test('the history covers 60 minutes of every figure', async () => {
  const { result, ...history } = await hub.json('/api/system/history', { as });
  expect(result).toBe(0);
  expect(systemApi.history.response.parse(history)).toEqual(history);
  expect(history['step-s'] * history.cpu.length).toBe(limits.historyMinutes * 60);
});

test('the topic sends the status each second while it has a subscriber', async () => {
  const { topic, start, close } = hub.hub.system;
  const read = readTopic<ObjectsEvent<SystemStatus>>(topic);
  start();
  await until(() => read.messages.length > 1);
  read.close();
  close();
  const [first, next] = read.messages.map(({ data }) => data.changed[0]);
  expect(Object.keys(next?.system ?? {})).toEqual(Object.keys(first?.system ?? {}));
  expect(next?.system.status.mem).toBeGreaterThan(0);
});

test('health needs no session and reports readiness', async () => {
  const ask = async () => {
    const response = await hub.call('/api/health', {});
    return [response.status, await response.json()];
  };
  expect(await ask()).toEqual([200, { result: 0, ready: true, faults: [] }]);
  hub.hub.setReady(false);
  expect(await ask()).toEqual([503, { result: 0, ready: false, faults: [] }]);
});
