/** Power cuts during a change of the network, with a real NetworkManager and its files: `make test-systemd`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Network, ToConfirm } from '../../daemon/contract/network.ts';
import { inOwnNetwork } from '../integration/own-network.ts';
import { until, untilSeen } from '../support/until.ts';
import { Guest } from './guest.ts';
import { Wire } from './wire.ts';

setDefaultTimeout(120_000);
if (process.getuid?.() !== 0) throw new Error('Booting a system needs root: run "sudo make test-systemd".');

const journal = '/var/lib/signalbox/change.json';
const profiles = '/etc/NetworkManager/system-connections';
const before = '192.0.2.10';
const after = '198.51.100.10';

inOwnNetwork('changes of the network while power fails', import.meta.path, () => {
  let guest: Guest;
  let wire: Wire;
  beforeAll(async () => {
    wire = await Wire.start();
    guest = await Guest.start('appliance');
    // The hub has a /proc of its own, where it would see when this machine booted instead of when the guest did.
    const boot = '[Service]\nBindReadOnlyPaths=/run/boot-id:/proc/sys/kernel/random/boot_id\n';
    guest.put('/etc/systemd/system/signalbox.service.d/test.conf', boot);
    guest.run('/srv/dist/install.sh', '--appliance');
    await guest.login();
  });
  afterAll(async () => {
    await guest?.stop();
    await wire?.stop();
  });

  const settings = (ip: string) => ({
    ...{ dhcp: false, ip, mask: '255.255.255.0', gateway: '', 'primary-dns': '', 'secondary-dns': '' },
  });
  const change = (ip: string, how: object) => guest.api<ToConfirm>('/api/network/set', { eth1: settings(ip), ...how });
  const network = () => guest.api<Network>('/api/network/get');
  const eth1 = async () => (await network()).ports.find(({ port }) => port === 'eth1');
  const addresses = () => guest.run('ip', '-4', '-oneline', 'address', 'show', 'dev', 'eth0');
  const untilAddress = (ip: string) => until(() => addresses().includes(` ${ip}/24 `), 30_000, `eth0 has ${ip}`);
  const untilOver = () => untilSeen(network, ({ waiting }) => waiting === undefined, 30_000, 'no change waits');
  const cutPower = async () => {
    await guest.cutPower(async () => {
      await wire.unplug();
      await wire.plugIn();
    });
    await guest.login();
  };
  /** Kernel, file and hub agree. */
  const expectOnly = async (ip: string) => {
    await untilAddress(ip);
    await untilOver();
    expect(addresses().match(/ inet /g)).toHaveLength(1);
    expect((await eth1())?.settings).toEqual(settings(ip));
    const files = guest.run('sh', '-c', `cat ${profiles}/*`);
    expect([before, after].filter((one) => files.includes(one))).toEqual([ip]);
    expect(guest.succeeds('test', '-e', journal)).toBe(false);
  };

  test('the hub, without root, gives a port a fixed address', async () => {
    expect(await eth1()).toMatchObject({ device: 'eth0', link: true });
    await change(before, { 'confirm-within': 0, 'accept-risk': true });
    await expectOnly(before);
  });

  test('N9: after a power cut while a change waits, the settings before it are in effect', async () => {
    await change(after, {});
    await untilAddress(after);
    expect((await network()).waiting).toMatchObject({ kind: 'network' });
    await cutPower();
    await expectOnly(before);
    expect((await network()).ended).toMatchObject({ kind: 'network', outcome: 'interrupted' });
  });

  test('N10: after a power cut between the confirmation and its storage, the confirmed settings are in effect', async () => {
    const { token } = await change(after, {});
    await untilAddress(after);
    // NetworkManager cannot write its files, as with a disk that fails.
    const ofNetworkManager = guest.unit('NetworkManager', 'MainPID');
    guest.run(
      'nsenter',
      `--target=${ofNetworkManager}`,
      '--mount',
      'mount',
      '-t',
      'tmpfs',
      '-o',
      'ro',
      'none',
      profiles,
    );
    await guest.api('/api/network/confirm', { token });
    expect(guest.run('cat', journal)).toContain('"phase":"confirmed"');
    await cutPower();
    await expectOnly(after);
  });

  test.each([0, 5, 15, 40])(
    'N10: after a power cut %d ms after the confirmation is sent, it is one or the other',
    async (ms) => {
      const [old, next] = addresses().includes(after) ? [after, before] : [before, after];
      const { token } = await change(next, {});
      await untilAddress(next);
      const confirmed = guest.api('/api/network/confirm', { token }).catch(() => {});
      await Bun.sleep(ms);
      await cutPower();
      await confirmed;
      await untilOver();
      const now = (await eth1())?.settings?.ip;
      expect([old, next]).toContain(now ?? '');
      await expectOnly(now ?? '');
    },
  );
});
