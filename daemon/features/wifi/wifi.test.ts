import { afterAll, beforeEach, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
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

test('a caller who is connected through the adapter is cut off only if the call is forced', async () => {
  await post('join', { ssid: 'Studio', key });
  const over = (path: string, body: object) =>
    hub.json(`/api/wifi/${path}`, { method: 'POST', body, as, ip: '10.88.0.7' });
  const refused = { result: 1005, params: { what: 'Studio', by: 'Admin' } };
  expect(await over('forget', { ssid: 'Studio' })).toMatchObject(refused);
  expect(await over('join', { ssid: 'Guests' })).toMatchObject(refused);
  expect(await get()).toMatchObject({ current: { ssid: 'Studio' } });
  // Others are connected through an Ethernet port.
  expect(await post('join', { ssid: 'Guests' })).toMatchObject({ result: 0 });
  expect(await over('forget', { ssid: 'Studio' })).toMatchObject({ result: 0 });
  expect(await over('forget', { ssid: 'Guests', force: true })).toMatchObject({ result: 0 });
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
