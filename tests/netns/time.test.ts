/** The real chrony, asked by the hub and changed by its helper; without the right to set the clock of this machine. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { createHelperClient } from '../../daemon/appliance/helper/client.ts';
import { byHub } from '../../daemon/appliance/helper/operations.ts';
import { describeTime } from '../../daemon/appliance/time/contract-for-test.ts';
import { createSystemTime } from '../../daemon/appliance/time/system-time.ts';
import { type HelperSocket, openHelperSocket } from '../support/helper-socket.ts';
import { until } from '../support/until.ts';
import { inLab, run } from './lab.ts';

const [own, good, dead] = ['192.168.50.10', '192.168.50.1', '192.168.50.99'];

/** The servers of the package are replaced by the first change; `-x` keeps chrony from the clock of the machine. */
const config = `driftfile /run/chrony/drift
pidfile /run/chrony/chronyd.pid
sourcedir /etc/chrony/sources.d
`;

inLab('chrony, in a world of its own, does what every clock does', import.meta.path, () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-time-'));
  const daemons: Subprocess[] = [];
  let helper: HelperSocket;
  /** The zone before any test. */
  let first = '';
  const time = () => createSystemTime(createHelperClient(helper.path));
  const start = (...command: string[]) =>
    daemons.push(Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }));

  beforeAll(async () => {
    run('ip netns add lan');
    run('ip link add eth0 type veth peer name peer netns lan');
    for (const step of ['link set lo up', `addr add ${good}/24 dev peer`, 'link set peer up']) run(`ip -n lan ${step}`);
    run(`ip addr add ${own}/24 dev eth0`);
    run('ip link set eth0 up');
    mkdirSync('/run/chrony', { mode: 0o750 });
    mkdirSync('/run/server', { mode: 0o750 });
    const server = ['local stratum 3', 'allow', `bindaddress ${good}`, 'bindcmdaddress /run/server/sock', 'cmdport 0'];
    writeFileSync('/run/server/conf', [...server, 'pidfile /run/server/pid', ''].join('\n'));
    start('ip', 'netns', 'exec', 'lan', 'chronyd', '-x', '-d', '-u', 'root', '-f', '/run/server/conf');
    mkdirSync('/etc/chrony/sources.d', { recursive: true });
    writeFileSync('/etc/chrony/chrony.conf', config);
    start('chronyd', '-x', '-d', '-u', 'root', '-f', '/etc/chrony/chrony.conf');
    await until(() => existsSync('/run/chrony/chronyd.sock'));
    helper = openHelperSocket({ folder, env: { STATE_DIRECTORY: folder } });
    first = await time().zone();
  });
  afterAll(async () => {
    for (const daemon of daemons) daemon.kill('SIGKILL');
    await Promise.all(daemons.map(({ exited }) => exited));
    await helper.close();
    rmSync(folder, { recursive: true });
  });

  describeTime(time, { good, dead });

  test('S10: an NTP server that is text for a shell or an option never gets to chrony', async () => {
    const before = await time().ntp();
    for (const server of ['$(touch /run/was-here)', '-x', 'a;b', 'a\nserver evil.example', 'x'.repeat(300)]) {
      const change = time().apply({ ntp: { enabled: true, servers: [server] } }, byHub);
      await expect(change).rejects.toMatchObject({ result: 'ioFailed' });
    }
    expect(await time().ntp()).toEqual(before);
    expect(existsSync('/run/was-here')).toBe(false);
  });

  test('a reset brings back the zone of before and removes the servers, also twice', async () => {
    const client = createHelperClient(helper.path);
    for (const zone of ['Asia/Shanghai', 'Europe/Berlin']) {
      await time().apply({ zone, ntp: { enabled: true, servers: [good] } }, byHub);
      expect(await time().zone()).toBe(zone);
    }
    await client.call('system.reset', { area: 'time' }, byHub);
    await client.call('system.reset', { area: 'time' }, byHub);
    expect(await time().zone()).toBe(first);
    expect(existsSync('/etc/chrony/sources.d/signalbox.sources')).toBe(false);
    await until(async () => (await time().ntp()).servers.length === 0);
    expect(readFileSync('/etc/chrony/chrony.conf', 'utf8')).toBe(config);
    expect(existsSync(join(folder, 'first-values.json'))).toBe(false);
    // What it cannot know without systemd stays as it is.
    await client.call('system.reset', { area: 'hostName' }, byHub);
    await client.call('system.reset', { area: 'journal' }, byHub);
  });

  test('the lights of a port whose driver cannot let them blink are reported as such, and others are not known', async () => {
    const client = createHelperClient(helper.path);
    const blink = (name: string) => client.call('port.blink', { interface: name, seconds: 1 }, byHub);
    expect(await blink('eth0')).toEqual({ isSupported: false });
    await expect(blink('eth7')).rejects.toMatchObject({ result: 'ioFailed' });
  });

  test('a chrony that has ended is missing, and the rest can be read', async () => {
    daemons.at(-1)?.kill('SIGKILL');
    await daemons.at(-1)?.exited;
    await expect(time().synchronization()).rejects.toMatchObject({ part: 'chrony', fault: 'absent' });
    expect(await time().zones()).toContain(await time().zone());
  });
});
