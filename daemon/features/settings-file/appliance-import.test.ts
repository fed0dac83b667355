/** The settings file of an appliance: what is not in the database changes with it, all or nothing. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { makeDeviceCertificate } from '../../../tests/support/device-certificates.ts';
import { leasePort } from '../../../tests/support/ports.ts';
import { untilSeen } from '../../../tests/support/until.ts';
import { type ApplianceDouble, createApplianceDouble } from '../../appliance/double-for-test.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import { results } from '../../contract/result.ts';
import { systemFlags } from '../../contract/variant.ts';
import { isStaged } from '../../store/staged-import.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
type Json = any;

// Keys are derived from passphrases.
setDefaultTimeout(30_000);

interface Machine {
  readonly hub: Awaited<ReturnType<typeof composedHub>>;
  readonly appliance: ApplianceDouble;
  readonly post: (path: string, body: object) => Promise<Json>;
  readonly get: (path: string) => Promise<Json>;
}

const machines: Machine[] = [];
let one: Machine;
beforeEach(async () => {
  one = await newMachine();
});
afterEach(async () => {
  for (const { hub } of machines.splice(0)) {
    await hub.hub.web.close(0);
    await hub.hub.close();
    hub.remove();
  }
});

/** Imports open them, and several tests run at a time. */
const ports = () => ({ SIGNALBOX_HTTP_PORT: String(leasePort()) });

async function newMachine(variant = 'hardware'): Promise<Machine> {
  const appliance = createApplianceDouble();
  const hub = await composedHub({ appliance, env: { SIGNALBOX_VARIANT: variant, ...ports() } });
  const as = await hub.signIn('Admin');
  const machine: Machine = {
    ...{ hub, appliance },
    post: (path, body) => hub.post(`/api/${path}`, body, as),
    get: (path) => hub.json(`/api/${path}`, { as }),
  };
  machines.push(machine);
  return machine;
}

const fixed = (ip: string, gateway = '') => ({
  ...{ dhcp: false, ip, mask: '255.255.255.0', gateway, 'primary-dns': '', 'secondary-dns': '' },
});
const network = [
  { port: 'eth1', ...fixed('203.0.113.20', '203.0.113.1') },
  { port: 'eth2', ...fixed('198.51.100.20') },
];
const routes = [{ destination: '10.20.0.0/16', gateway: '203.0.113.7', interface: 'eth1' }];
const firewall = [
  { name: 'mode', mode: -1 },
  { port: '5000-5010', protocol: 1, remark: 'Feeds', enabled: true },
  { port: '1935', protocol: 0, remark: '', enabled: false },
];
const time = [
  { name: 'ntp', enable: true, servers: ['good.one.example', 'good.two.example'] },
  { name: 'zone', zone: 'Europe/Berlin' },
  { name: 'host-name', 'host-name': 'truck-4' },
];
const everything = { time, firewall, network, routes };

const save = async (machine: Machine): Promise<Json> => (await machine.post('settings/export', {})).file;
const load = (machine: Machine, sections: object, more: object = {}): Promise<Json> => {
  const file = { format: 'signalbox-settings', 'format-version': 1, product: 'signalbox', version: '1', created: 1 };
  return machine.post('settings/import', { file: JSON.stringify({ ...file, hub: 'x', sections }), ...more });
};
const systemSections = async (machine: Machine) => {
  const { sections } = await save(machine);
  return Object.fromEntries(Object.keys(everything).map((name) => [name, sections[name]]));
};
const isWaiting = (machine: Machine) =>
  untilSeen(
    () => machine.get('network/get'),
    ({ waiting }) => waiting?.applied,
  );
const isOver = (machine: Machine, outcome: string) =>
  untilSeen(
    () => machine.get('network/get'),
    ({ waiting, ended }) => !waiting && ended?.outcome === outcome,
  );
const flags = async (machine: Machine) => {
  const { status } = await machine.get('system/status');
  return status.system.status['status-code'];
};

test('a file moves the system settings of an appliance; the other one has the same file afterwards', async () => {
  const before = await systemSections(one);
  const seen = await load(one, everything, { preview: true });
  expect(seen).toMatchObject({ result: 0, ignored: [], 'confirm-by-s': 0 });
  expect(seen.addresses).toEqual(['203.0.113.20', '198.51.100.20']);
  const counts = ({ name, effect, ...section }: Json) => [name, effect, section['added-num'], section['changed-num']];
  expect(seen.sections.map(counts)).toEqual([
    ['time', 'now', 0, 3],
    ['firewall', 'now', 2, 1],
    ['network', 'confirm', 0, 2],
    ['routes', 'confirm', 1, 0],
  ]);
  expect(await systemSections(one)).toEqual(before);
  const { token, ...answer } = await load(one, everything, { digest: seen.digest });
  expect(answer).toMatchObject({ result: 0, 'confirm-by-s': 60, restarts: false });
  await isWaiting(one);
  // Every console can be used meanwhile, to confirm it from elsewhere.
  expect(await flags(one)).toBe(0);
  expect(await one.post('network/confirm', { token })).toEqual({ result: 0, kind: 'settings' });
  await isOver(one, 'confirmed');
  expect(await systemSections(one)).toEqual(everything);
  expect(one.appliance.double.net.stored('eth1')?.fixed?.address).toBe('203.0.113.20');
  expect(one.appliance.double.routes.stored()).toEqual(routes as never);
  expect(one.hub.restarts).toEqual([]);
  const two = await newMachine();
  const file = await save(one);
  await two.post('settings/import', { file: JSON.stringify(file), 'confirm-within': 0, 'accept-risk': true });
  await isOver(two, 'confirmed');
  expect(await systemSections(two)).toEqual(everything);
  const again = await load(two, everything);
  expect(again).toMatchObject({ result: 0, 'confirm-by-s': 0, restarts: false });
  const { list } = await one.get('log/list?key=settings.import');
  expect(list[0].changes).toContainEqual({ word: 'importedSection', value: 'firewall +2 ~1 -0' });
});

test('an import that is not confirmed leaves everything as it was, also in the database', async () => {
  const before = await systemSections(one);
  const servers = [{ name: 'By file', config: { type: 2, url: '192.0.2.1', port: 7000, 'main-stream': true } }];
  await load(one, { ...everything, servers });
  await isWaiting(one);
  expect((await one.appliance.net.read()).devices[0]?.addresses).toEqual(['203.0.113.20/24']);
  expect(await load(one, everything)).toMatchObject({ result: 1004, params: { user: 'Admin' } });
  await one.post('network/cancel', {});
  await isOver(one, 'canceled');
  expect(await systemSections(one)).toEqual(before);
  expect(isStaged(one.hub.db)).toBe(false);
  expect(await flags(one)).toBe(0);
});

test('what goes to the database is stored by a restart once the rest is confirmed', async () => {
  const servers = [{ name: 'By file', config: { type: 2, url: '192.0.2.1', port: 7000, 'main-stream': true } }];
  const { token } = await load(one, { network, servers });
  await isWaiting(one);
  expect(isStaged(one.hub.db)).toBe(false);
  await one.post('network/confirm', { token });
  await isOver(one, 'confirmed');
  expect(isStaged(one.hub.db)).toBe(true);
  expect((await flags(one)) & systemFlags.importing).toBe(systemFlags.importing);
  await untilSeen(
    async () => one.hub.restarts.length,
    (restarts) => restarts === 1,
  );
});

test('an import that no longer fits when it is confirmed is undone', async () => {
  const before = await systemSections(one);
  const { id } = await one.post('channel/add', { name: 'Arena', config: {} });
  const outputs = [{ name: 'Net', enabled: true, config: { url: 'udp://192.0.2.9:5000' }, channel: 'Arena' }];
  const { token, ...answer } = await load(one, { network, outputs });
  expect(answer).toMatchObject({ result: 0 });
  await isWaiting(one);
  await one.post('channel/del', { id });
  expect((await one.post('network/confirm', { token })).result).not.toBe(0);
  await isOver(one, 'expired');
  expect(await systemSections(one)).toEqual(before);
});

test.each<[string, (machine: Machine) => void]>([
  ['the network', ({ appliance }) => appliance.double.net.take('203.0.113.20')],
  [
    'the clock',
    ({ appliance }) => {
      const { time: clock } = appliance.double;
      const { setHostName } = clock.port;
      Object.assign(clock.port, {
        async setHostName(name: string, by: never) {
          if (name === 'truck-4') throw new MissingPart('helper', 'absent', 'it ended');
          await setHostName(name, by);
        },
      });
    },
  ],
])('if %s cannot take effect, every part is as before', async (_, fail) => {
  const before = await systemSections(one);
  fail(one);
  await load(one, everything);
  await isOver(one, 'failed');
  expect(await systemSections(one)).toEqual(before);
  expect(await flags(one)).toBe(0);
});

test('Wi-Fi networks move with their keys, which the file shows only to those who know the passphrase', async () => {
  const { wifi } = one.appliance.double;
  const [usual, odd] = ['LabNet', '"\n[ipv4] 演播室'];
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const stored = [
    { ssid: hex(usual), security: 'wpa', key: 'hidden-key-1', isHidden: false },
    { ssid: hex(odd), security: 'wpa3', key: 'hidden-key-2', isHidden: true },
    { ssid: 'fffe', security: 'open', key: undefined, isHidden: false },
  ] as const;
  for (const network of stored) await wifi.port.store(network);
  const [open, closed] = [await save(one), (await one.post('settings/export', { passphrase: 'open sesame' })).file];
  expect(JSON.stringify([open, closed])).not.toContain('hidden-key');
  expect(open.sections.wifi[2]).toEqual({ 'ssid-hex': 'fffe', security: 'open', hidden: false });
  const two = await newMachine();
  const other = { ssid: hex('Stays'), security: 'open', key: undefined, isHidden: false } as const;
  await two.appliance.double.wifi.port.store(other);
  const only = { sections: ['wifi'] };
  const lacking = await two.post('settings/import', { ...only, file: JSON.stringify(open), preview: true });
  expect(lacking.sections).toMatchObject([{ name: 'wifi', 'added-num': 3, 'lacks-secrets': [usual, odd] }]);
  const file = JSON.stringify(closed);
  expect(await two.post('settings/import', { ...only, file, passphrase: 'wrong one' })).toMatchObject({ result: 36 });
  expect(two.appliance.double.wifi.stored()).toEqual([other]);
  const done = await two.post('settings/import', { ...only, file, passphrase: 'open sesame' });
  expect(done).toMatchObject({ result: 0, 'confirm-by-s': 0, restarts: false });
  expect(two.appliance.double.wifi.stored()).toEqual([other, ...stored]);
  const again = await two.post('settings/import', { ...only, file, passphrase: 'open sesame', preview: true });
  expect(again.sections).toMatchObject([{ 'added-num': 0, 'changed-num': 0, 'lacks-secrets': [] }]);
});

test('Wi-Fi networks of a file are not stored if its other parts are undone, and a machine without Wi-Fi ignores them', async () => {
  const wifi = [{ ssid: 'LabOpen', security: 'open', hidden: false }];
  await load(one, { wifi, network });
  await isWaiting(one);
  await one.post('network/cancel', {});
  await isOver(one, 'canceled');
  expect(one.appliance.double.wifi.stored()).toEqual([]);
  one.appliance.double.wifi.plug(false);
  expect(await load(one, { wifi, network }, { preview: true })).toMatchObject({ result: 0, ignored: ['wifi'] });
  const twice = [{ ssid: 'LabOpen', 'ssid-hex': 'fffe', security: 'open', hidden: false }];
  one.appliance.double.wifi.plug(true);
  expect(await load(one, { wifi: twice })).toMatchObject({ result: 7, fields: [{ rule: 'required' }] });
});

test('a network whose key another program keeps stays as it is when a file adds one', async () => {
  const { wifi } = one.appliance.double;
  const foreign = { ssid: 'f0f1', security: 'wpa', key: undefined, isHidden: false } as const;
  await wifi.port.store(foreign);
  expect(await load(one, { wifi: [{ ssid: 'LabOpen', security: 'open', hidden: false }] })).toMatchObject({
    result: 0,
  });
  const added = { ssid: Buffer.from('LabOpen').toString('hex'), security: 'open', key: undefined, isHidden: false };
  expect(wifi.stored()).toEqual([foreign, added] as never);
});

const console = (httpPort: number) => [
  { name: 'console', 'http-port': httpPort, 'enable-https': false, 'https-port': 8443 },
];

test('the port of the console is tried with everything else, and undone with it', async () => {
  const before = (await save(one)).sections.web;
  const web = console(leasePort());
  expect((await load(one, { web, time }, { preview: true })).sections).toMatchObject([
    { name: 'time', effect: 'now' },
    { name: 'web', effect: 'confirm', changed: [{ name: 'console', members: ['http-port'] }] },
  ]);
  await load(one, { web, time });
  await isWaiting(one);
  expect((await save(one)).sections.web).toEqual(web);
  await one.post('network/cancel', {});
  await isOver(one, 'canceled');
  expect((await save(one)).sections.web).toEqual(before);
  const { token } = await load(one, { web, network });
  await isWaiting(one);
  expect(await one.post('network/confirm', { token })).toMatchObject({ result: 0 });
  await isOver(one, 'confirmed');
  expect((await save(one)).sections.web).toEqual(web);
  expect((await one.get('settings/get')).unconfirmed).toBeUndefined();
});

test('the port of the console is not kept without the rest: pages do not confirm it alone', async () => {
  const before = (await save(one)).sections.web;
  await load(one, { web: console(leasePort()), network });
  await isWaiting(one);
  // By which pages of the console know of a change that they confirm.
  expect((await one.get('settings/get')).unconfirmed).toBeUndefined();
  const alone = await one.post('settings/confirm', { group: 'web' });
  expect(alone.result).toBe(results.wrongState.code);
  await one.post('network/cancel', {});
  await isOver(one, 'canceled');
  expect((await save(one)).sections.web).toEqual(before);
});

test('a port that is in use, or one for both, is refused before anything changes', async () => {
  const taken = Bun.serve({ port: 0, fetch: () => new Response() });
  expect(await load(one, { web: console(Number(taken.port)), time })).toMatchObject({ result: 1007 });
  await taken.stop(true);
  const both = [{ ...console(8443)[0], 'enable-https': true }];
  expect(await load(one, { web: both })).toMatchObject({ result: 7, fields: [{ path: 'web/console/https-port' }] });
  expect((await systemSections(one)).time).not.toEqual(time);
});

test('an installed certificate moves with its key, which only the passphrase shows', async () => {
  const pair = makeDeviceCertificate('console.example');
  const folder = join(one.hub.dir, 'tls');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hub.crt'), pair.cert);
  writeFileSync(join(folder, 'hub.key'), pair.key);
  const { file } = await one.post('settings/export', { passphrase: 'open sesame' });
  const [, secretLine = ''] = pair.key.split('\n');
  expect(JSON.stringify(file)).not.toContain(secretLine);
  expect(file.sections.web[0].secrets).toEqual(['cert', 'key']);
  const two = await newMachine();
  const body = { file: JSON.stringify(file), passphrase: 'open sesame', sections: ['web'] };
  const { token, ...started } = await two.post('settings/import', body);
  expect(started).toMatchObject({ result: 0, 'confirm-by-s': 60 });
  await isWaiting(two);
  expect(readFileSync(join(two.hub.dir, 'change.json'), 'utf8')).not.toContain(secretLine);
  await two.post('network/confirm', { token });
  await isOver(two, 'confirmed');
  expect(readFileSync(join(two.hub.dir, 'tls/hub.key'), 'utf8')).toBe(pair.key);
  expect((await two.post('settings/import', { ...body, preview: true })).sections).toMatchObject([
    { 'changed-num': 0 },
  ]);
});

test('a change of the clock alone is final, and its failure is an answer', async () => {
  expect(await load(one, { time })).toMatchObject({ 'confirm-by-s': 0, restarts: false });
  expect((await systemSections(one)).time).toEqual(time);
  one.appliance.double.time.refusal = new MissingPart('helper', 'absent', 'it does not run');
  const other = [{ name: 'zone', zone: 'Etc/UTC' }];
  const answer = await load(one, { time: other });
  expect(answer.message).toContain('the previous settings apply again');
  expect((await systemSections(one)).time).toEqual(time);
});

test('an import without a safety net needs the risk to be accepted', async () => {
  const fields = [{ path: 'accept-risk', rule: 'required' }];
  expect(await load(one, { network }, { 'confirm-within': 0 })).toMatchObject({ result: 7, fields });
  const final = await load(one, { network }, { 'confirm-within': 0, 'accept-risk': true });
  expect(final).toMatchObject({ result: 0, 'confirm-by-s': 0, addresses: ['203.0.113.20', '198.51.100.20'] });
  expect(final.token).toBeUndefined();
  await isOver(one, 'confirmed');
});

test.each<[string, object, object]>([
  [
    'ports in one network',
    { network: [network[0], { port: 'eth2', ...fixed('203.0.113.30') }] },
    { result: 7, fields: [{ path: 'network/eth1/ip', rule: 'sameNetwork' }] },
  ],
  [
    'a gateway elsewhere',
    { network: [{ port: 'eth1', ...fixed('203.0.113.20', '192.0.2.1') }] },
    { result: 7, fields: [{ path: expect.stringContaining('gateway'), rule: 'gateway' }] },
  ],
  [
    'a route whose router is not in the network of the file',
    { network, routes: [{ ...routes[0], gateway: '192.0.2.7' }] },
    { result: 7, fields: [{ path: 'routes/10.20.0.0/16/gateway', rule: 'routeGateway' }] },
  ],
  ['a route on Wi-Fi', { routes: [{ ...routes[0], interface: 'wifi' }] }, { result: 7, fields: [{ rule: 'choice' }] }],
  [
    'a rule for no port',
    { firewall: [{ ...firewall[1], port: '70000' }] },
    { result: 7, fields: [{ rule: 'portRange' }] },
  ],
  [
    'an unknown time zone',
    { time: [{ name: 'zone', zone: 'Mars/Olympus' }] },
    { result: 7, fields: [{ path: 'time/zone/zone', rule: 'exists' }] },
  ],
  [
    'an NTP server that is none',
    { time: [{ name: 'ntp', enable: true, servers: ['$(reboot)'] }] },
    { result: 7, fields: [{ rule: 'host' }] },
  ],
])('a file with %s is refused, and the answer names it', async (_, sections, refused) => {
  const before = await systemSections(one);
  expect(await load(one, sections, { preview: true })).toMatchObject(refused);
  expect(await load(one, sections)).toMatchObject(refused);
  expect(await systemSections(one)).toEqual(before);
});

test('a file of a machine with a second port is refused by one without, at that port', async () => {
  one.appliance.double.net.setPorts(['eth1']);
  const refused = { result: 1, fields: [{ path: 'network/eth2/port', rule: 'noPort' }] };
  expect(await load(one, { network }, { preview: true })).toMatchObject({ fields: refused.fields });
  expect(await load(one, { network: [network[0]] }, { preview: true })).toMatchObject({ result: 0 });
});

test('a hub that is not an appliance leaves these sections out, and says so', async () => {
  const standard = await newMachine('standard');
  const seen = await load(standard, { ...everything, presets: [] }, { preview: true });
  expect(seen).toMatchObject({ result: 0, ignored: Object.keys(everything) });
  expect(Object.keys((await save(standard)).sections)).not.toContain('network');
});

test('what cannot be read, because a part of the system is missing, is left out by name', async () => {
  one.appliance.double.net.stop();
  const { file, 'left-out': missing } = await one.post('settings/export', {});
  expect(missing).toEqual(['network', 'routes']);
  expect(Object.keys(file.sections)).toContain('time');
  expect(await load(one, { network, time }, { preview: true })).toMatchObject({ result: 0, ignored: ['network'] });
  one.appliance.double.net.start();
});

test('the import page has a name for each section of a file', async () => {
  await one.appliance.double.wifi.port.store({ ssid: 'ff', security: 'open', key: undefined, isHidden: false });
  const names = readFileSync(join(import.meta.dir, '../../../web/src/features/upkeep/section-names.ts'), 'utf8');
  const sections = Object.keys((await save(one)).sections);
  expect(sections).toContain('wifi');
  expect(sections.filter((name) => !new RegExp(`^ {2}'?${name}'?: msg`, 'm').test(names))).toEqual([]);
});
