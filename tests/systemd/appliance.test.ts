/** A machine that `make install` made an appliance, with systemd, polkit and NetworkManager: `make test-systemd`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHelperClient } from '../../daemon/appliance/helper/client.ts';
import type { TimeView } from '../../daemon/contract/time.ts';
import { fileIn, killAll, publish, record, untilRecorded } from '../integration/live-media.ts';
import { inOwnNetwork } from '../integration/own-network.ts';
import { openPictures } from '../integration/picture-stream.ts';
import { RelayRig } from '../integration/relay-rig.ts';
import { until, untilSeen } from '../support/until.ts';
import { distFolder, Guest, run } from './guest.ts';
import { marks, plantFiles, variables } from './planted-code.ts';
import { Wire } from './wire.ts';

setDefaultTimeout(120_000);
if (process.getuid?.() !== 0) throw new Error('Booting a system needs root: run "sudo make test-systemd".');

const hubUnit = 'signalbox.service';
const engineUnit = 'signalbox-engine.service';
const helperSocket = 'signalbox-helper.socket';
const firewallUnit = 'signalbox-firewall.service';
/** Of the guest, on the cable. */
const own = '192.0.2.10';
const byTest = { user: 'Tester', address: '192.0.2.7' };
const data = '/var/lib/signalbox';
const capNetBindService = 1 << 10;
/** Of a new appliance: HTTP, HTTPS, RTMP, SRT, HLS, agents of devices. */
const expectedSockets = [...[80, 443, 1935, 8080, 8070].map((port) => `tcp 0.0.0.0:${port}`), 'udp 0.0.0.0:8000'];

inOwnNetwork('an appliance of a Debian with systemd', import.meta.path, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-appliance-'));
  let guest: Guest;
  let wire: Wire;
  beforeAll(async () => {
    wire = await Wire.start();
    guest = await Guest.start('appliance');
  });
  afterAll(async () => {
    await killAll();
    await guest?.stop();
    await wire?.stop();
    rmSync(folder, { recursive: true });
  });

  /** What /proc says of the main process of a unit. */
  const statusOf = (unit: string, field: string) =>
    new RegExp(`^${field}:\\s+(\\S+)`, 'm').exec(guest.run('cat', `/proc/${guest.unit(unit, 'MainPID')}/status`))?.[1];

  test('is made by one command, and its console answers on ports 80 and 443 without root', async () => {
    expect(guest.run('/srv/dist/install.sh', '--appliance')).toMatch(/^Signalbox runs\. Console: http:\/\/[^ :]+$/m);
    await guest.login();
    const page = await fetch('http://127.0.0.1/');
    expect(page.headers.get('content-type')).toStartWith('text/html');
    const secure = await fetch('https://127.0.0.1/api/health', { tls: { rejectUnauthorized: false } });
    expect(secure.status).toBe(200);
    const user = guest.run('id', '--user', 'signalbox');
    for (const unit of [hubUnit, engineUnit]) expect(statusOf(unit, 'Uid')).toBe(user);
    expect(Number.parseInt(statusOf(hubUnit, 'CapEff') ?? '', 16)).toBe(capNetBindService);
    expect(Number.parseInt(statusOf(engineUnit, 'CapEff') ?? '', 16)).toBe(0);
  });

  test('leaves the settings of the hub to root', () => {
    expect(guest.run('stat', '--format=%U %a', '/etc/default/signalbox')).toBe('root 600');
  });

  test.each([
    [hubUnit, 2],
    [engineUnit, 2],
    [firewallUnit, 2.5],
    ['signalbox-helper@test.service', 2.5],
  ])('the exposure of %s is at most %d of 10', (unit, most) => {
    const text = guest.run('systemd-analyze', 'security', '--no-pager', unit);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
    console.log(`${unit}: ${exposure} of 10`);
    expect(exposure).toBeLessThanOrEqual(most);
  });

  test('relays streams and makes thumbnails within the limits of its units', async () => {
    const channel = await new RelayRig(guest).addChannel();
    publish(channel.push.srt);
    await channel.untilLive();
    const file = fileIn(folder, 'played.ts');
    const player = record(channel.play.srt, file);
    await untilRecorded(file, 300_000, 20_000);
    await player.stop();
    const { handle, pictures, abort } = await openPictures(guest);
    expect((await guest.answer('/api/preview/setup', { id: handle, add: [channel.id] })).result).toBe(0);
    await until(() => pictures.length > 1, 20_000, 'thumbnails came');
    abort.abort();
    await killAll();
  });

  test('A14: listens on the expected ports and no other', async () => {
    const lines = guest.run('ss', '--no-header', '--numeric', '--tcp', '--udp', '--listening').split('\n');
    const sockets = lines.map((line) => line.split(/\s+/)).map(([kind, , , , local]) => `${kind} ${local}`);
    expect(sockets.toSorted()).toEqual(expectedSockets.toSorted());
  });

  test('polkit lets the hub set the network and do nothing else, and lets no other user do that', async () => {
    const actions = guest.run('pkaction').split('\n');
    const allowed = [
      'org.freedesktop.NetworkManager.checkpoint-rollback',
      'org.freedesktop.NetworkManager.enable-disable-wifi',
      'org.freedesktop.NetworkManager.network-control',
      'org.freedesktop.NetworkManager.settings.modify.system',
      'org.freedesktop.NetworkManager.wifi.scan',
    ];
    expect(actions).toContain('org.freedesktop.login1.reboot');
    const allowedFor = (unit: string, user: string, among: readonly string[]) => {
      const pid = guest.unit(unit, 'MainPID');
      const start = guest.run('cat', `/proc/${pid}/stat`).split(') ')[1]?.split(' ')[19];
      const subject = [pid, start, guest.run('id', '--user', user)].join();
      return among.filter((action) => guest.succeeds('pkcheck', '--action-id', action, '--process', subject));
    };
    expect(allowedFor(hubUnit, 'signalbox', actions)).toEqual(allowed);
    guest.run('useradd', '--create-home', 'ann');
    guest.run('systemd-run', '--unit=of-ann', '--uid=ann', 'sleep', 'infinity');
    expect(allowedFor('of-ann', 'ann', allowed)).toEqual([]);
    guest.run('systemctl', 'stop', 'of-ann');
  });

  test('NetworkManager takes a profile from the hub and from no other user', async () => {
    const add = (user: string) =>
      guest.succeeds(
        ...['runuser', '-u', user, '--', 'nmcli', 'connection', 'add', 'save', 'no', 'type', 'dummy'],
        ...['ifname', 'test0', 'con-name', `of-${user}`, 'ipv4.method', 'disabled', 'ipv6.method', 'disabled'],
      );
    expect(add('ann')).toBe(false);
    expect(add('signalbox')).toBe(true);
    const asHub = (...command: string[]) => guest.succeeds('runuser', '-u', 'signalbox', '--', ...command);
    expect(asHub('nmcli', 'connection', 'delete', 'of-signalbox')).toBe(true);
    expect(asHub('nmcli', 'networking', 'off')).toBe(false);
    expect(asHub('nmcli', 'general', 'hostname', 'other')).toBe(false);
    expect(asHub('systemctl', 'restart', 'NetworkManager')).toBe(false);
    expect(asHub('systemctl', 'reboot')).toBe(false);
    expect(asHub('nft', 'list', 'ruleset')).toBe(false);
  });

  const helper = () => createHelperClient(guest.path('/run/signalbox/helper.sock'));

  test('the helper is started for a request, by root and the hub only, and sets the packet filter', async () => {
    expect(guest.run('stat', '--format=%U %G %a', '/run/signalbox/helper.sock')).toBe('root signalbox 660');
    const setup = { mode: 0 as const, wan: ['eth0'], console: [80, 443], rules: [] };
    const { reading } = await helper().call('firewall.apply', { setup }, byTest);
    expect(guest.run('nft', 'list', 'chain', 'inet', 'signalbox', 'input')).toContain('tcp dport { 80, 443 }');
    expect(reading.fingerprint).toBeString();
    // The hub may have restored its own rules meanwhile.
    expect((await helper().call('firewall.read', {}, byTest)).reading.fingerprint).toBeString();
    expect(guest.run('journalctl', '--unit=signalbox-helper@*', '--output=cat')).toContain('user=Tester');
  });

  test('the hub sets host name, time zone and time servers within the limits of its helper', async () => {
    // This chrony leaves the clock alone: it belongs to the whole machine.
    guest.put('/etc/systemd/system/chrony.service.d/test.conf', '[Unit]\nConditionCapability=\n');
    guest.put('/etc/default/chrony', 'DAEMON_OPTS="-F 1 -x"\n');
    guest.run('systemctl', 'daemon-reload');
    await guest.api('/api/system/host-name/set', { name: 'studio-3' });
    expect(guest.run('hostname')).toBe('studio-3');
    const ntp = { enable: true, servers: ['192.0.2.2'] };
    await guest.api('/api/time/set', { zone: 'Asia/Shanghai', ntp });
    expect(guest.run('readlink', '/etc/localtime')).toEndWith('/Asia/Shanghai');
    expect(guest.unit('chrony', 'ActiveState')).toBe('active');
    const time = () => guest.api<TimeView>('/api/time/get');
    await untilSeen(time, ({ missing }) => missing.length === 0, 20_000, 'chrony answers the hub');
    expect(await time()).toMatchObject({ ntp, zone: 'Asia/Shanghai', sources: [{ name: '192.0.2.2' }] });
    await guest.api('/api/time/set', { ntp: { enable: false, servers: ['192.0.2.2'] } });
    expect(guest.unit('chrony', 'ActiveState')).toBe('inactive');
  });

  test('A11: connections that say nothing leave the helper usable, and are as many as its socket allows', async () => {
    const socket = guest.path('/run/signalbox/helper.sock');
    const closed = Array.from({ length: 50 }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      createConnection({ path: socket })
        .resume()
        .on('error', () => {})
        .on('close', () => resolve());
      return promise;
    });
    const running = () => guest.run('systemctl', 'list-units', '--no-legend', 'signalbox-helper@*.service').split('\n');
    expect(running().length).toBeLessThanOrEqual(8);
    await Promise.all(closed);
    await helper().call('firewall.read', {}, byTest);
    expect(guest.unit(helperSocket, 'ActiveState')).toBe('active');
  });

  test('A17: planted files and variables have no effect on hub, engine and helper', async () => {
    await plantFiles(guest, ['/', '/srv', data, `${data}/uploads`, '/opt/signalbox', '/opt/signalbox/bin', '/tmp']);
    // Without its unit, the program runs what these name.
    for (const name of ['BUN_OPTIONS', 'LD_PRELOAD']) {
      guest.run('env', `${name}=${variables[name]}`, '/opt/signalbox/bin/signalbox', '--version');
      expect(marks(guest)).not.toEqual([]);
    }
    const names = Object.keys(variables);
    guest.run('systemctl', 'set-environment', ...names.map((name) => `${name}=${variables[name]}`));
    try {
      guest.run('systemctl', 'restart', engineUnit, hubUnit);
      await guest.login();
      await helper().call('firewall.read', {}, byTest);
      expect(marks(guest)).toEqual([]);
      const environment = guest.run('cat', `/proc/${guest.unit(hubUnit, 'MainPID')}/environ`).split('\0');
      expect(environment.filter((one) => /^(BUN|NODE|LD)_/.test(one))).toEqual([]);
    } finally {
      guest.run('systemctl', 'unset-environment', ...names);
    }
  });

  test('an upgrade without an option leaves it an appliance', async () => {
    guest.run('/srv/dist/install.sh');
    await guest.login();
    expect((await fetch('http://127.0.0.1/api/health')).status).toBe(200);
  });

  const stamp = (unit: string, of: string) => Number(guest.unit(unit, `ExecMain${of}TimestampMonotonic`));

  test('after a reboot it is an appliance, and the packet filter was there before the network', async () => {
    const profile = ['type', 'ethernet', 'ifname', 'eth0', 'con-name', 'test', 'ipv4.method', 'manual'];
    guest.run('nmcli', 'connection', 'add', ...profile, 'ipv4.addresses', `${own}/24`);
    await guest.reboot();
    await guest.login();
    expect(guest.unit(helperSocket, 'ActiveState')).toBe('active');
    expect(guest.run('nft', 'list', 'chain', 'inet', 'signalbox', 'input')).toContain('tcp dport { 80, 443 }');
    expect(stamp(firewallUnit, 'Exit')).toBeLessThan(stamp('NetworkManager', 'Start'));
    await until(() => wire.connects(own, 80), 20_000, 'the console answers on the cable');
  });

  test('F8: if the stored rules are unreadable at boot, all ports but those of the console are closed', async () => {
    guest.run('systemctl', 'disable', hubUnit);
    guest.run('truncate', '--size=20', '/var/lib/signalbox-helper/firewall.json');
    await guest.reboot();
    expect(guest.run('journalctl', '--boot', '--output=cat', `--unit=${firewallUnit}`)).toContain('unusable');
    // The hub would set its own rules, so something else listens.
    const ports = ['--listen=80', '--listen=443', '--listen=1935'];
    guest.run('systemd-run', '--unit=listener', 'systemd-socket-activate', ...ports, 'sleep', 'infinity');
    await until(() => wire.connects(own, 443), 20_000, 'the port of the console answers on the cable');
    expect(await wire.connects(own, 80)).toBe(true);
    expect(await wire.connects(own, 1935)).toBe(false);
    guest.run('nft', 'delete', 'table', 'inet', 'signalbox');
    expect(await wire.connects(own, 1935)).toBe(true);
    guest.run('systemctl', 'stop', 'listener');
    guest.run('systemctl', 'enable', '--now', hubUnit);
    await guest.login();
    await until(() => guest.succeeds('nft', 'list', 'table', 'inet', 'signalbox'), 20_000, 'the hub sets its rules');
  });

  test('is removed by one command, which leaves the data', () => {
    expect(guest.run('/srv/dist/install.sh', '--remove')).toContain(data);
    for (const unit of [hubUnit, engineUnit, helperSocket, firewallUnit])
      expect(guest.unit(unit, 'LoadState')).toBe('not-found');
    const left = guest.run('find', '/etc', '/opt', '-name', '*signalbox*').split('\n');
    expect(left.toSorted()).toEqual(['/etc/chrony/sources.d/signalbox.sources', '/etc/default/signalbox']);
    guest.run('test', '-e', `${data}/hub.sqlite`);
    expect(guest.run('nft', 'list', 'tables')).toBe('');
  });
});

test('with DESTDIR, the files go to the places of a package and nothing else happens', async () => {
  const staging = mkdtempSync(join(tmpdir(), 'sb-package-'));
  const install = join(await distFolder(), 'install.sh');
  const files = async () =>
    (await run('find', staging, '-type', 'f', '-printf', '%m %P\n')).split('\n').filter((line) => line !== '');
  try {
    await run('env', `DESTDIR=${staging}`, install, '--appliance');
    const installed = await files();
    expect(installed.filter((line) => !line.includes(' opt/signalbox/')).toSorted()).toEqual([
      '644 usr/lib/sysctl.d/60-signalbox.conf',
      '644 usr/lib/systemd/system/signalbox-agent.service',
      '644 usr/lib/systemd/system/signalbox-engine.service',
      '644 usr/lib/systemd/system/signalbox-firewall.service',
      '644 usr/lib/systemd/system/signalbox-helper.socket',
      '644 usr/lib/systemd/system/signalbox-helper@.service',
      '644 usr/lib/systemd/system/signalbox.service',
      '644 usr/lib/systemd/system/signalbox.service.d/appliance.conf',
      '644 usr/lib/sysusers.d/signalbox.conf',
      '644 usr/lib/tmpfiles.d/signalbox.conf',
      '644 usr/share/polkit-1/rules.d/50-signalbox.rules',
    ]);
    expect(installed).toContain('755 opt/signalbox/bin/signalbox');
    await run('env', `DESTDIR=${staging}`, install, '--remove');
    expect(await files()).toEqual([]);
  } finally {
    rmSync(staging, { recursive: true });
  }
});
