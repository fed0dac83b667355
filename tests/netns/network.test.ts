/** Changes of the network on a real hub with a real NetworkManager, as its peers see them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBus } from '../../daemon/appliance/dbus/bus.ts';
import { createNetworkManager } from '../../daemon/appliance/net/network-manager.ts';
import type { Network, ToConfirm } from '../../daemon/contract/network.ts';
import type { PortSettings } from '../../daemon/contract/network-fields.ts';
import { type ApiResponse, adminPassword, type HubProcess, startHub } from '../integration/hub-process.ts';
import { until, untilSeen } from '../support/until.ts';
import { busAddress, inLab, networks, run, timeDivisor } from './lab.ts';

const { lan, wan } = networks;
const [home, away, third] = [`${lan.net}.10`, `${lan.net}.66`, `${lan.net}.67`] as const;
/** Long enough for what a test does meanwhile, and a limit that ends within two seconds (`timeDivisor`). */
const [long, short] = [600, 40];

const fixed = (ip: string, gateway = ''): PortSettings => ({
  ...{ dhcp: false, ip, mask: '255.255.255.0', gateway, 'primary-dns': '', 'secondary-dns': '' },
});
const dhcp: PortSettings = { ...fixed(''), dhcp: true, mask: '' };

inLab('a hub changes its network so that every mistake undoes itself', import.meta.path, (lab) => {
  let hub: HubProcess;
  const url = (address: string, path: string) => `http://${address}:${hub.ports.http}${path}`;
  const answers = (address: string) => lab.reaches('lan', url(address, '/api/health'));
  const isAt = (address: string) => until(() => answers(address), 10_000, `the hub answers at ${address}`);
  const network = () => hub.api<Network & ApiResponse>('/api/network/get');
  const set = (change: object) => hub.answer<ToConfirm>('/api/network/set', change);
  const setEth1 = (eth1: PortSettings, seconds = long) => set({ eth1, 'confirm-within': seconds });
  const confirmAt = (address: string, token: string | undefined) =>
    lab.fetch('lan', url(address, '/api/network/confirm'), { body: { token } });
  const ended = (outcome: string) =>
    untilSeen(network, (seen) => seen.waiting === undefined && seen.ended?.outcome === outcome);
  const actions = async () => {
    const { list } = await hub.api<ApiResponse & { list: { action: string; user: string; detail: string }[] }>(
      '/api/log/list?count=4',
    );
    return list.map(({ action, user, detail }) => `${action} ${user} ${detail}`);
  };
  const journal = () => join(hub.dataDir, 'change.json');

  beforeAll(async () => {
    await lab.start();
    const env = { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_BIND: '0.0.0.0', DBUS_SYSTEM_BUS_ADDRESS: busAddress };
    hub = await startHub({ env, timeDivisor });
    await hub.login();
    const first = {
      eth1: fixed(home, lan.peer),
      eth2: fixed(`${wan.net}.10`),
      'confirm-within': 0,
      'accept-risk': true,
    };
    expect(await set(first)).toMatchObject({ result: 0, 'confirm-by-s': 0 });
    await isAt(home);
    await ended('confirmed');
  });
  afterAll(async () => {
    await hub?.stop();
    await lab.stop();
  });

  test('N1: a new address is kept, stored and logged once it is confirmed from there, where the user is signed in', async () => {
    const { token, ...answer } = await setEth1(fixed(away, lan.peer));
    expect(answer).toMatchObject({ result: 0, 'confirm-by-s': long, addresses: [away] });
    await isAt(away);
    expect(await answers(home)).toBe(false);
    expect(lab.profiles()).not.toContain(away);
    const confirmed = await confirmAt(away, token);
    expect(confirmed?.json).toEqual({ result: 0, kind: 'network' });
    const session = await lab.fetch('lan', url(away, '/api/session'), {
      headers: { cookie: confirmed!.cookies.join('; ') },
    });
    expect(session?.json).toMatchObject({ result: 0, user: { name: 'Admin' } });
    expect(lab.profiles()).toContain(`address1=${away}/24,${lan.peer}`);
    expect(lab.profiles()).not.toContain(home);
    expect(await actions()).toContain('change.confirm Admin network');
    expect((await confirmAt(away, token))?.json.result).toBe(38);
    expect(existsSync(journal())).toBe(false);
    await set({ eth1: fixed(home, lan.peer), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test('N2: without a confirmation, the old address is back when the time is over, and the page says so', async () => {
    const { token } = await setEth1(fixed(away, lan.peer), short);
    await isAt(away);
    await isAt(home);
    await ended('expired');
    expect(await answers(away)).toBe(false);
    expect((await confirmAt(home, token))?.json.result).toBe(38);
    expect(await actions()).toContain('change.undo  network: because expired');
  });

  test('an imported address and its route are undone unless they are confirmed, and then stored together', async () => {
    const gateway = lan.peer;
    const sections = {
      network: [{ port: 'eth1', ...fixed(away, gateway) }],
      routes: [{ destination: '10.20.0.0/16', gateway, interface: 'eth1' }],
    };
    const kind = { format: 'signalbox-settings', 'format-version': 1, product: 'signalbox', version: '1' };
    const file = JSON.stringify({ ...kind, created: 1, hub: '', sections });
    const load = (seconds: number) =>
      hub.answer<ToConfirm>('/api/settings/import', { file, 'confirm-within': seconds });
    const route = () => run('ip -4 route show').includes(`10.20.0.0/16 via ${gateway} dev ${lan.port}`);
    expect(await load(short)).toMatchObject({ result: 0, addresses: [away] });
    await ended('expired');
    await isAt(home);
    const { token } = await load(long);
    await isAt(away);
    await until(route);
    expect(lab.profiles()).not.toContain('10.20.0.0');
    expect((await confirmAt(away, token))?.json).toEqual({ result: 0, kind: 'settings' });
    await ended('confirmed');
    expect(lab.profiles()).toContain(`address1=${away}/24,${gateway}`);
    expect(lab.profiles()).toContain('10.20.0.0/16');
    const exported = await hub.api<ApiResponse & { file: { sections: typeof sections } }>('/api/settings/export', {});
    expect(exported.file.sections.network).toContainEqual(sections.network[0] as (typeof sections)['network'][0]);
    expect(exported.file.sections.routes).toEqual(sections.routes);
    expect(existsSync(journal())).toBe(false);
    await hub.api('/api/route/del', { id: '10.20.0.0/16' });
    await until(() => !route());
    await set({ eth1: fixed(home, lan.peer), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test('N3: an address in an unreachable network is undone', async () => {
    await setEth1(fixed('172.31.9.9'), short);
    await until(async () => !(await answers(home)));
    await isAt(home);
    await ended('expired');
  });

  test('N4: DHCP without a server fails, and is undone long before the time is over', async () => {
    await lab.stopDhcp('lan');
    await setEth1(dhcp);
    expect((await ended('failed')).ended?.failure).toBe('noDhcp');
    await isAt(home);
    await lab.startDhcp('lan');
  });

  test('N5: an address that another host has is refused, and the old one is back', async () => {
    lab.addAddress('lan', `${third}/24`);
    await setEth1(fixed(third));
    expect((await ended('failed')).ended?.failure).toBe('addressInUse');
    await isAt(home);
    lab.delAddress('lan', `${third}/24`);
  });

  test('N6: with the cable pulled meanwhile, the old address is back once it is plugged in', async () => {
    await setEth1(fixed(away, lan.peer), short);
    await isAt(away);
    lab.setCable('lan', false);
    await ended('expired');
    lab.setCable('lan', true);
    await isAt(home);
  });

  test('N7: a change is undone although the hub is killed, which reports it after its start', async () => {
    await setEth1(fixed(away, lan.peer), short);
    await isAt(away);
    await hub.kill('SIGKILL');
    await untilSeen(
      () => Bun.spawnSync(['ip', 'addr', 'show', 'dev', lan.port]).stdout.toString(),
      (shown) => shown.includes(home),
    );
    await hub.restart();
    await isAt(home);
    await ended('expired');
    expect(await actions()).toContain('change.undo  network: because expired');
    expect(existsSync(journal())).toBe(false);
  });

  test('N7: a hub that was killed and is back before the time is over still takes the confirmation', async () => {
    const { token } = await setEth1(fixed(away, lan.peer));
    await isAt(away);
    await hub.kill('SIGKILL');
    await hub.restart();
    expect((await network()).waiting).toMatchObject({ kind: 'network', user: 'Admin' });
    expect((await confirmAt(away, token))?.json.result).toBe(0);
    await set({ eth1: fixed(home, lan.peer), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'N8: NetworkManager, ended with %s, forgets its checkpoint, and the hub undoes the change',
    async (how) => {
      await setEth1(fixed(away, lan.peer), short);
      await isAt(away);
      await lab.stopManager(how);
      await lab.startManager();
      await isAt(home);
      await ended('expired');
      expect(lab.profiles()).toContain(`address1=${home}/24`);
    },
  );

  test('N9: after a power cut during the wait, the old settings apply', async () => {
    await setEth1(fixed(away, lan.peer));
    await isAt(away);
    await hub.kill('SIGKILL');
    await lab.cutPower();
    await hub.restart();
    await isAt(home);
    await ended('interrupted');
    expect(existsSync(journal())).toBe(false);
  });

  test('N10: a power cut while a change is confirmed leaves all old settings or all new ones', async () => {
    const both = { eth1: fixed(away, lan.peer), eth2: fixed(`${wan.net}.66`), 'confirm-within': long };
    for (const phase of ['waiting', 'confirmed']) {
      await set(both);
      await isAt(away);
      await until(() => lab.reaches('wan', url(`${wan.net}.66`, '/api/health')));
      await hub.kill('SIGKILL');
      const entry = JSON.parse(readFileSync(journal(), 'utf8'));
      const bus = createBus('/run/dbus/system_bus_socket');
      expect(await createNetworkManager(bus).seal(entry.data)).toBe(true);
      bus.close();
      writeFileSync(journal(), JSON.stringify({ ...entry, phase }));
      await lab.cutPower();
      await hub.restart();
      const [kept, gone] = phase === 'waiting' ? [home, away] : [away, home];
      await isAt(kept);
      await ended(phase === 'waiting' ? 'interrupted' : 'confirmed');
      expect(lab.profiles()).toContain(`address1=${kept}/24`);
      expect(lab.profiles()).not.toContain(gone);
      expect(lab.profiles()).toContain(`address1=${wan.net}.${phase === 'waiting' ? 10 : 66}/24`);
      expect(existsSync(journal())).toBe(false);
    }
    await set({ eth1: fixed(home, lan.peer), eth2: fixed(`${wan.net}.10`), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test('N11: a second administrator is told who changes the network, and for how long', async () => {
    await hub.api('/api/usr/add', { name: 'ben', password: adminPassword, 'group-id': 1 });
    const { json } = (await lab.fetch('lan', url(home, '/api/login'), {
      body: { id: 'ben', password: adminPassword },
    }))!;
    await setEth1(fixed(away, lan.peer));
    await isAt(away);
    const headers = { authorization: `Bearer ${json.token}` };
    const second = await lab.fetch('lan', url(away, '/api/network/set'), {
      headers,
      body: { eth1: fixed(third), 'confirm-within': long },
    });
    expect(second?.json).toMatchObject({ result: 1004, params: { user: 'Admin' } });
    expect(second?.json.params.seconds).toBeWithin(1, long + 1);
    await hub.api('/api/network/cancel', {});
    await isAt(home);
    expect((await network()).ended?.outcome).toBe('canceled');
    expect((await actions())[0]).toBe('network.cancel Admin ');
  });

  test('N12: a wrong token and that of an earlier change are refused, and the change still waits', async () => {
    const { token: earlier } = await setEth1(fixed(away, lan.peer));
    await isAt(away);
    await hub.api('/api/network/cancel', {});
    await isAt(home);
    const { token } = await setEth1(fixed(away, lan.peer));
    await isAt(away);
    expect((await confirmAt(away, earlier))?.json.result).toBe(39);
    expect((await confirmAt(away, 'x'.repeat(43)))?.json.result).toBe(39);
    expect((await confirmAt(away, 'short'))?.json.result).toBe(7);
    expect((await network()).waiting?.kind).toBe('network');
    // An address with too many wrong ones has to wait; the administrator at another one does not.
    const guess = (guessed: string | undefined) =>
      lab.fetch('wan', url(`${wan.net}.10`, '/api/network/confirm'), { body: { token: guessed } });
    for (let count = 0; count < 5; count++) expect((await guess('y'.repeat(43)))?.json.result).toBe(39);
    expect((await guess(token))?.json.result).toBe(4);
    expect((await confirmAt(away, token))?.json.result).toBe(0);
    await set({ eth1: fixed(home, lan.peer), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test('N14: settings that cannot work are refused by field, and nothing is sent to NetworkManager', async () => {
    const before = lab.profiles();
    const good = fixed(away, lan.peer);
    const wrong: [object, string, string][] = [
      [{ eth1: { ...good, mask: '255.0.255.0' } }, 'eth1.mask', 'mask'],
      [{ eth1: { ...good, gateway: '192.168.51.1' } }, 'eth1.gateway', 'gateway'],
      [{ eth1: { ...good, 'primary-dns': '192.0.2.1', 'secondary-dns': '192.0.2.1' } }, 'eth1.secondary-dns', 'unique'],
      [{ eth1: { ...good, ip: `${lan.net}.0` } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: `${lan.net}.255` } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: '127.0.0.1' } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: '239.1.1.1' } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: '0.0.0.0' } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: '250.0.0.1' } }, 'eth1.ip', 'hostAddress'],
      [{ eth1: { ...good, ip: '$(reboot)' } }, 'eth1.ip', 'ipv4'],
      [{ eth1: { ...good, ip: '' } }, 'eth1.ip', 'required'],
      [{ eth2: fixed(`${lan.net}.11`) }, 'eth2.ip', 'sameNetwork'],
      [{ eth1: good, 'confirm-within': 0 }, 'accept-risk', 'required'],
    ];
    for (const [change, path, rule] of wrong) {
      const refused = await hub.answer<ApiResponse & { fields: object[] }>('/api/network/set', change);
      expect(refused.result).toBe(7);
      expect(refused.fields).toContainEqual(expect.objectContaining({ path, rule }));
    }
    expect((await network()).waiting).toBeUndefined();
    expect(lab.profiles()).toBe(before);
  });

  test('N15: a change of ETH1 does not wait for ETH2, whose cable is not plugged in', async () => {
    lab.setCable('wan', false);
    await untilSeen(network, ({ ports }) => ports[1]?.state === 'noCable');
    const { token } = await setEth1(fixed(away, lan.peer));
    await isAt(away);
    expect((await confirmAt(away, token))?.json.result).toBe(0);
    lab.setCable('wan', true);
    await until(() => lab.reaches('wan', url(`${wan.net}.10`, '/api/health')));
    await set({ eth1: fixed(home, lan.peer), 'confirm-within': 0, 'accept-risk': true });
    await isAt(home);
    await ended('confirmed');
  });

  test('N20: without an answer of NetworkManager or without the bus, the page is usable and says what is missing', async () => {
    lab.freezeManager(true);
    expect(await network()).toMatchObject({ missing: [{ part: 'networkManager', fault: 'silent' }] });
    lab.freezeManager(false);
    await untilSeen(network, ({ missing, ports }) => missing.length === 0 && ports[0]?.state === 'connected');
    await lab.stopBus();
    const without = await network();
    expect(without).toMatchObject({ missing: [{ part: 'bus', fault: 'absent' }] });
    expect(without.ports.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    expect(await setEth1(fixed(away))).toMatchObject({ result: 9, params: { part: 'bus' } });
    await isAt(home);
    await lab.stopManager('SIGKILL');
    await lab.startBus();
    await lab.startManager();
    await untilSeen(network, ({ missing, ports }) => missing.length === 0 && ports[0]?.state === 'connected');
  });
});
