import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { untilSeen } from '../../../tests/support/until.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
import { withFaults } from '../../appliance/faults-for-test.ts';
import { ssidOf } from '../../appliance/wifi/double-for-test.ts';

const appliance = createApplianceDouble();
const { wifi, usb } = appliance.double;
const hub = await composedHub({ env: { SIGNALBOX_VARIANT: 'hardware' }, appliance });
const as = await hub.signIn('Admin');
afterAll(() => hub.remove());

const key = 'Zq7wifiKey;$(id)"';
const near = { strength: 80, frequency: 2412 };
const studio = { ssid: ssidOf('Studio'), security: 'wpa', key, ...near } as const;
beforeEach(async () => {
  wifi.plug(true);
  for (const { ssid } of (await wifi.port.read()).known) await wifi.port.forget(ssid);
  wifi.place([
    studio,
    { ssid: ssidOf('Guests'), security: 'open', ...near, strength: 30 },
    { ssid: ssidOf('Corp'), security: 'enterprise', ...near },
    { ssid: ssidOf('Silent'), security: 'open', ...near, isMute: true },
    { ssid: ssidOf('Hidden'), security: 'wpa', key, ...near, isHidden: true },
  ]);
});

const post = (path: string, body: object) => hub.json(`/api/wifi/${path}`, { method: 'POST', body, as });
const get = () => hub.json('/api/wifi/get', { as });
const faultOf = async (body: object) => {
  const { result, fields } = await post('join', body);
  return `${result} ${fields?.[0]?.path} ${fields?.[0]?.rule}`;
};

test('a scan lists the networks with strength and protection, the strongest first', async () => {
  const { networks } = await post('scan', {});
  expect(networks.map(({ ssid }: { ssid: string }) => ssid)).not.toContain('Hidden');
  expect(networks[0]).toEqual({ ssid: 'Studio', 'ssid-hex': ssidOf('Studio'), security: 'wpa', ...near });
  expect(networks.at(-1)).toMatchObject({ ssid: 'Guests', security: 'open' });
});

test('a network is joined with its key, then without it, and is forgotten', async () => {
  expect(await post('join', { ssid: 'Studio', key })).toMatchObject({ result: 0 });
  expect(await get()).toMatchObject({ state: 'connected', current: { ssid: 'Studio' }, known: [{ ssid: 'Studio' }] });
  expect(await post('join', { 'ssid-hex': ssidOf('Studio').toUpperCase() })).toMatchObject({ result: 0 });
  expect(wifi.stored()).toMatchObject([{ key }]);
  expect(await post('forget', { ssid: 'Studio' })).toMatchObject({ result: 0 });
  expect(await get()).toMatchObject({ state: 'disconnected', known: [] });
  expect(await post('forget', { ssid: 'Studio' })).toMatchObject({ result: 16 });
});

test('N19: each failure says what is wrong, at its field', async () => {
  expect(await faultOf({ ssid: 'Studio', key: 'not the right one' })).toBe('36 key wifiWrongKey');
  expect(await faultOf({ ssid: 'Studio' })).toBe('7 key required');
  expect(await faultOf({ ssid: 'Guests', key })).toBe('7 key wifiOpen');
  expect(await faultOf({ ssid: 'Corp', key })).toBe('7 ssid wifiProtection');
  expect(await faultOf({ ssid: 'Nowhere' })).toBe('16 ssid wifiNotFound');
  expect(await faultOf({ ssid: 'Silent' })).toBe('47 ssid wifiNoAddress');
  expect(await faultOf({ ssid: 'Hidden', key })).toBe('16 ssid wifiNotFound');
  expect(await post('join', { ssid: 'Hidden', key, hidden: true })).toMatchObject({ result: 0 });
  wifi.plug(false);
  expect(await faultOf({ ssid: 'Studio', key })).toBe('38 ssid noWifi');
});

test('names have 1 to 32 bytes of any kind, keys 8 to 63 printable characters or 64 hexadecimal digits', async () => {
  expect(await faultOf({ ssid: '', key })).toBe('7 ssid required');
  expect(await faultOf({ ssid: 'x'.repeat(33), key })).toBe('7 ssid tooManyBytes');
  // 11 characters of 3 bytes.
  expect(await faultOf({ ssid: '演'.repeat(11), key })).toBe('7 ssid tooManyBytes');
  expect(await faultOf({ ssid: '"\n[ipv4]', key })).toBe('16 ssid wifiNotFound');
  expect(await faultOf({ ssid: 'Studio', 'ssid-hex': '00', key })).toBe('7 ssid exactlyOne');
  expect(await faultOf({ 'ssid-hex': 'zz', key })).toBe('7 ssid-hex ssidHex');
  for (const bad of ['short', 'x'.repeat(64), 'tab\tinside', 'über-geheim', 'f'.repeat(65)]) {
    expect(await faultOf({ ssid: 'Studio', key: bad })).toBe('7 key wifiKey');
  }
  expect(await faultOf({ ssid: 'Studio', key: 'f'.repeat(64) })).toBe('36 key wifiWrongKey');
});

test('N19: a key appears in no answer, no error, no log and no file of the hub', async () => {
  const answers = [
    await post('join', { ssid: 'Studio', key: `${key} wrong` }),
    await post('join', { ssid: 'Studio', key, security: 'wep' }),
    await post('join', { ssid: 'Studio', key }),
    await get(),
    await hub.json('/api/log/list', { as }),
    await hub.json('/api/syslog/list', { as }),
    hub.db.$client.serialize().toString('latin1'),
  ];
  expect(JSON.stringify(answers)).not.toContain('Zq7wifiKey');
  const { list } = answers[4];
  expect(list.slice(0, 2)).toMatchObject([
    { action: 'wifi.join', subject: 'Studio', result: 0 },
    { action: 'wifi.join', subject: 'Studio', result: 36 },
  ]);
});

describe('a caller who is connected through the adapter', () => {
  const ip = '10.88.0.7';
  const over = (path: string, body: object) => hub.json(path, { method: 'POST', body, as, ip });
  const network = () => hub.json('/api/network/get', { as });
  const isApplied = () => untilSeen(network, ({ waiting }) => waiting?.applied === true);
  const isOver = (outcome: string) =>
    untilSeen(network, ({ waiting, ended }) => !waiting && ended?.outcome === outcome);
  const current = async () => (await get()).current?.ssid;
  beforeEach(async () => {
    await post('join', { ssid: 'Studio', key });
  });

  test('is told so; a caller at an Ethernet port is not', async () => {
    expect(await hub.json('/api/wifi/get', { as, ip })).toMatchObject({ entry: true });
    expect(await get()).toMatchObject({ entry: false });
  });

  test('N19: keeps a network that was joined by confirming it from there, signed in', async () => {
    const { token, ...answer } = await over('/api/wifi/join', { ssid: 'Guests' });
    expect(answer).toMatchObject({ result: 0, 'confirm-by-s': 60, addresses: [] });
    expect(await network()).toMatchObject({ waiting: { kind: 'wifi', user: 'Admin' } });
    await isApplied();
    expect(await current()).toBe('Guests');
    expect(wifi.stored().map(({ ssid }) => ssid)).toEqual([ssidOf('Studio')]);
    expect(await hub.json('/api/network/confirm', { method: 'POST', body: { token } })).toMatchObject({ kind: 'wifi' });
    await isOver('confirmed');
    expect(await current()).toBe('Guests');
    expect(wifi.stored().map(({ ssid }) => ssid)).toEqual([ssidOf('Studio'), ssidOf('Guests')]);
  });

  test('N19: is back in the network before if the new one cannot be joined', async () => {
    expect(await over('/api/wifi/join', { ssid: 'Studio', key: 'not the right one' })).toMatchObject({ result: 0 });
    await isOver('failed');
    expect(await network()).toMatchObject({ ended: { kind: 'wifi', failure: 'wrongKey' } });
    expect(await current()).toBe('Studio');
    expect(wifi.stored()).toMatchObject([{ key }]);
  });

  test('N19: keeps a network that was forgotten, with its key, until that is confirmed', async () => {
    await over('/api/wifi/forget', { ssid: 'Studio' });
    await isApplied();
    expect(await get()).toMatchObject({ state: 'disconnected', known: [{ ssid: 'Studio' }] });
    await hub.json('/api/network/cancel', { method: 'POST', body: {}, as });
    expect(await current()).toBe('Studio');
    await over('/api/wifi/forget', { ssid: 'Studio' });
    await isApplied();
    await hub.json('/api/network/confirm', { method: 'POST', body: {}, as });
    expect(await get()).toMatchObject({ state: 'disconnected', known: [] });
  });

  test('forgets networks that are not in use without a confirmation', async () => {
    await post('join', { ssid: 'Guests' });
    expect(await over('/api/wifi/forget', { ssid: 'Studio' })).toMatchObject({ result: 0, 'confirm-by-s': 0 });
  });

  test('learns at once what cannot be joined, and nothing waits then', async () => {
    const refused = { result: 16, fields: [{ path: 'ssid', rule: 'wifiNotFound' }] };
    expect(await over('/api/wifi/join', { ssid: 'Nowhere', key })).toMatchObject(refused);
    expect((await network()).waiting).toBeUndefined();
  });

  test('joins without a safety net only by accepting the risk', async () => {
    const body = { ssid: 'Guests', 'confirm-within': 0 };
    expect(await over('/api/wifi/join', body)).toMatchObject({ result: 7, fields: [{ path: 'accept-risk' }] });
    const answer = await over('/api/wifi/join', { ...body, 'accept-risk': true });
    expect(answer).toMatchObject({ result: 0, 'confirm-by-s': 0, addresses: [] });
    expect(answer.token).toBeUndefined();
    await untilSeen(current, (ssid) => ssid === 'Guests');
    await isOver('confirmed');
  });

  test('lets others wait until the change has ended', async () => {
    await over('/api/wifi/join', { ssid: 'Guests' });
    const busy = { result: 1004, params: { user: 'Admin' } };
    expect(await post('forget', { ssid: 'Studio' })).toMatchObject(busy);
    await isApplied();
    await hub.json('/api/network/cancel', { method: 'POST', body: {}, as });
  });

  test('N19: leaves no key in the journal of a change that waits', async () => {
    await over('/api/wifi/join', { ssid: 'Hidden', hidden: true, key });
    expect(readFileSync(join(hub.dir, 'change.json'), 'utf8')).not.toContain('Zq7wifiKey');
    await isApplied();
    await hub.json('/api/network/cancel', { method: 'POST', body: {}, as });
  });

  test('has the network before if NetworkManager fails in the middle, or does nothing', async () => {
    const faulty = withFaults(wifi.port);
    Object.assign(appliance, { wifi: faulty.area });
    try {
      faulty.fail('apply', new Error('broken'));
      await over('/api/wifi/join', { ssid: 'Guests' });
      await isOver('failed');
      expect(await current()).toBe('Studio');
      faulty.fail('apply', 'lie');
      const { token } = await over('/api/wifi/join', { ssid: 'Guests' });
      await isApplied();
      faulty.mend();
      await hub.json('/api/network/cancel', { method: 'POST', body: { token }, as });
      expect(await current()).toBe('Studio');
    } finally {
      Object.assign(appliance, { wifi: wifi.port });
    }
  });
});

test('interfaces on USB are shown while they are plugged in', async () => {
  expect((await get()).usb).toEqual([]);
  usb.plug([{ name: 'usb0', state: 'connected', driver: 'rndis_host', addresses: ['192.168.42.10/24'] }]);
  expect((await get()).usb).toEqual([
    { interface: 'usb0', state: 'connected', driver: 'rndis_host', addresses: ['192.168.42.10/24'] },
  ]);
  usb.plug([]);
  expect((await get()).usb).toEqual([]);
});

test('without an adapter the state says so', async () => {
  wifi.plug(false);
  expect(await get()).toMatchObject({ state: 'none', interface: '', networks: [], missing: [] });
});
