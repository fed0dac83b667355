/** Reset, import and reboot of an appliance with its services: `make test-systemd`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { killAll, publish } from '../integration/live-media.ts';
import { inOwnNetwork } from '../integration/own-network.ts';
import { RelayRig, type RigChannel } from '../integration/relay-rig.ts';
import { until, untilSeen } from '../support/until.ts';
import { adminPassword, Guest } from './guest.ts';
import { Wire } from './wire.ts';

setDefaultTimeout(120_000);
if (process.getuid?.() !== 0) throw new Error('Booting a system needs root: run "sudo make test-systemd".');

const profiles = '/etc/NetworkManager/system-connections';
const fixed = {
  ...{ dhcp: false, ip: '192.0.2.10', mask: '255.255.255.0', gateway: '', 'primary-dns': '', 'secondary-dns': '' },
};
const wifiKey = 'a key of the test';
/** In the log of the system. */
const mark = 'line of before the reset';
const passphrase = 'a passphrase of the test';

inOwnNetwork('reset, import and reboot of an appliance', import.meta.path, () => {
  let guest: Guest;
  let wire: Wire;
  let channel: RigChannel;
  let file: object;
  beforeAll(async () => {
    wire = await Wire.start();
    guest = await Guest.start('appliance');
    guest.run('/srv/dist/install.sh', '--appliance');
    await guest.login();
    // As the manual says, once Admin has it.
    guest.put('/etc/default/signalbox', '');
    guest.run('systemctl', 'restart', 'signalbox');
    await guest.login();
    channel = await new RelayRig(guest).addChannel();
    file = (await guest.api<{ file: object }>('/api/settings/export', { passphrase })).file;
  });
  afterAll(async () => {
    await killAll();
    await guest?.stop();
    await wire?.stop();
  });

  const channels = async () =>
    (await guest.api<{ list: { id: number }[] }>('/api/channel/dashboard')).list.map(({ id }) => id);
  /** The session of before has ended. */
  const untilSignedOut = () =>
    untilSeen(
      () => outcome(),
      (code) => code === 35 || code === 37,
      30_000,
      'the session has ended',
    );
  const outcome = () =>
    guest.answer('/api/channel/dashboard').then(
      ({ result }) => result,
      () => undefined,
    );
  const untilEngineRuns = async () => {
    const parts = async () => (await guest.api<{ status: SystemStatus }>('/api/system/status')).status.system.parts;
    await untilSeen(parts, (all) => all.find(({ name }) => name === 'srt')?.ok === true, 30_000, 'the engine runs');
  };

  test('after a reset the console waits for its first password, and the system is as before the hub changed it', async () => {
    publish(channel.push.rtmp);
    await channel.untilLive();
    const files = () => guest.run('sh', '-c', `cat ${profiles}/* 2>/dev/null || true`);
    const chrony = guest.run('sha256sum', '/etc/chrony/chrony.conf');
    const zoneNow = () => guest.run('timedatectl', 'show', '--property=Timezone', '--value');
    const zone = zoneNow();
    await guest.api('/api/network/set', { eth1: fixed, 'confirm-within': 0, 'accept-risk': true });
    await until(() => files().includes(fixed.ip), 30_000, 'the fixed address is stored');
    guest.run(
      'nmcli',
      'connection',
      'add',
      'type',
      'wifi',
      'ssid',
      'Studio',
      'wifi-sec.key-mgmt',
      'wpa-psk',
      'wifi-sec.psk',
      wifiKey,
    );
    expect(files()).toContain(wifiKey);
    await guest.api('/api/time/set', { zone: 'Asia/Shanghai', ntp: { enable: true, servers: ['192.0.2.2'] } });
    await guest.api('/api/system/host-name/set', { name: 'truck-4' });
    expect(guest.run('hostname')).toBe('truck-4');
    guest.run('logger', mark);
    await until(() => guest.run('journalctl', '--no-pager', '--output=cat').includes(mark));
    const key = guest.run('sha256sum', '/var/lib/signalbox/secrets.key');
    const answer = await guest.api<{ ports: object }>('/api/system/reset', { keep: [] });
    expect(answer.ports).toEqual({ http: 80, https: 443 });
    await untilSignedOut();
    expect(await guest.answer<{ needed: boolean }>('/api/setup')).toMatchObject({ needed: true });
    await guest.api('/api/setup', { password: adminPassword });
    await guest.login();
    expect(await channels()).toEqual([]);
    expect(guest.run('sha256sum', '/var/lib/signalbox/secrets.key')).not.toBe(key);
    await untilEngineRuns();
    await killAll();
    await until(
      () => !guest.succeeds('test', '-e', '/var/lib/signalbox/reset-system.json'),
      30_000,
      'the system is reset',
    );
    expect(files()).not.toContain(wifiKey);
    expect(files()).not.toContain(fixed.ip);
    expect(guest.run('nmcli', '-t', '-f', 'TYPE', 'connection')).not.toContain('wireless');
    expect(guest.run('hostname')).toBe('signalbox-test');
    expect(zoneNow()).toBe(zone);
    expect(guest.run('sha256sum', '/etc/chrony/chrony.conf')).toBe(chrony);
    expect(guest.run('journalctl', '--no-pager', '--output=cat')).not.toContain(mark);
  });

  test('the settings of before are imported, and streams flow', async () => {
    const done = await guest.api<{ restarts: boolean }>('/api/settings/import', {
      file: JSON.stringify(file),
      passphrase,
    });
    expect(done.restarts).toBe(true);
    // The session of before ends with the settings that it belonged to.
    await untilSignedOut();
    await guest.login();
    await untilSeen(channels, (list) => list.includes(channel.id), 30_000, 'the channel is back');
    await untilEngineRuns();
    publish(channel.push.srt);
    await channel.untilLive();
    await killAll();
  });

  test('a reboot from the console brings everything back', async () => {
    const { what } = await guest.api<{ what: string }>('/api/reboot', {});
    if (what === 'machine') await guest.untilRebooted();
    await guest.login();
    await untilEngineRuns();
    publish(channel.push.rtmp);
    await channel.untilLive();
  });
});
