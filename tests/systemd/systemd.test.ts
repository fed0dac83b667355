/** The installed services under a real systemd: `make test-systemd`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { results } from '../../daemon/contract/result.ts';
import type { SystemPart, SystemStatus } from '../../daemon/contract/system.ts';
import { fileIn, inspect, killAll, publish, record, untilRecorded } from '../integration/live-media.ts';
import { inOwnNetwork } from '../integration/own-network.ts';
import { RelayRig, type RigChannel } from '../integration/relay-rig.ts';
import { expectWhole } from '../integration/whole-recording.ts';
import { until, untilSeen } from '../support/until.ts';
import { Guest } from './guest.ts';

setDefaultTimeout(120_000);
if (process.getuid?.() !== 0) throw new Error('Booting a system needs root: run "sudo make test-systemd".');

const hubUnit = 'signalbox';
const engineUnit = 'signalbox-engine';
const data = '/var/lib/signalbox';
const engineLog = `${data}/log/engine.log`;

inOwnNetwork('services in a Debian with systemd', import.meta.path, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-systemd-'));
  let guest: Guest;
  let channel: RigChannel;
  beforeAll(async () => {
    guest = await Guest.start();
  });
  afterAll(async () => {
    await killAll();
    await guest?.stop();
    rmSync(folder, { recursive: true });
  });

  const engine = () => guest.unit(engineUnit, 'MainPID');
  const partsNow = async () => (await guest.api<{ status: SystemStatus }>('/api/system/status')).status.system.parts;
  const part = async (name: string) => (await partsNow()).find((one) => one.name === name);
  const untilPart = (name: string, fits: (part: SystemPart | undefined) => boolean) =>
    untilSeen(() => part(name), fits, 30_000, `the part ${name}`);
  const untilRuns = () => untilPart('srt', (srt) => srt?.ok === true);
  const restarts = () => [hubUnit, engineUnit].map((unit) => guest.unit(unit, 'NRestarts'));

  test('are installed by one command and start at once', async () => {
    expect(guest.run('/srv/dist/install.sh')).toMatch(/^Signalbox runs\. Console: http:\/\/[^ ]+:8880$/m);
    await guest.login();
    await untilRuns();
    expect(restarts()).toEqual(['0', '0']);
    channel = await new RelayRig(guest).addChannel();
  });

  test('start in either order, also without a data folder', async () => {
    for (const first of [engineUnit, hubUnit]) {
      guest.run('systemctl', 'stop', hubUnit, engineUnit);
      guest.run('rm', '-r', data);
      guest.run('systemctl', 'start', first);
      guest.run('systemctl', 'start', hubUnit, engineUnit);
      await guest.login();
      await untilRuns();
      expect(restarts()).toEqual(['0', '0']);
      expect(guest.run('stat', '--format=%U %a', engineLog)).toBe('signalbox 600');
    }
    channel = await new RelayRig(guest).addChannel();
  });

  test('a restart and a stop of the hub interrupt no stream', async () => {
    publish(channel.push.rtmp);
    await channel.untilLive();
    const files = ['srt.ts', 'rtmp.flv'].map((name) => fileIn(folder, name));
    const players = [channel.play.srt, channel.play.rtmp].map((url, index) => record(url, files[index] ?? ''));
    for (const file of files) await untilRecorded(file, 300_000, 20_000);
    const before = engine();
    guest.run('systemctl', 'restart', hubUnit);
    await guest.login();
    await channel.untilLive();
    guest.run('systemctl', 'stop', hubUnit);
    for (const file of files) await untilRecorded(file, Bun.file(file).size + 300_000, 20_000);
    guest.run('systemctl', 'start', hubUnit);
    await guest.login();
    await channel.untilLive();
    for (const player of players) await player.stop();
    expect(engine()).toBe(before);
    for (const file of files) expectWhole(await inspect(file), 4);
  });

  test('an upgrade interrupts no stream, and the engine can still start its endpoints', async () => {
    const before = engine();
    guest.run('/srv/dist/install.sh');
    await guest.login();
    await channel.untilLive();
    const endpoint = guest.process('srt-endpoint');
    process.kill(endpoint, 'SIGKILL');
    await until(() => ![0, endpoint].includes(guest.process('srt-endpoint')), 20_000, 'another SRT endpoint runs');
    await untilRuns();
    expect(engine()).toBe(before);
  });

  test.each(['killed', 'restarted by its unit', 'restarted from the dashboard'])(
    'an engine that is %s gets the desired state again',
    async (how) => {
      const before = engine();
      if (how === 'killed') guest.run('systemctl', 'kill', '--signal=KILL', engineUnit);
      else if (how === 'restarted by its unit') guest.run('systemctl', 'restart', engineUnit);
      else await guest.api('/api/system/restart-part', { name: 'engine' });
      await until(() => !['0', before].includes(engine()), 20_000, 'another engine runs');
      await untilRuns();
      const publisher = publish(channel.push.rtmp);
      await channel.untilLive();
      await publisher.stop();
    },
  );

  test('the hub says that the unit of the engine was stopped, and connects as soon as it is started', async () => {
    guest.run('systemctl', 'stop', engineUnit);
    await untilPart('engine', (one) => one?.reason === 'unitStopped');
    const restart = await guest.answer('/api/system/restart-part', { name: 'engine' });
    expect(restart.result).toBe(results.noResponse.code);
    guest.run('systemctl', 'start', engineUnit);
    await untilRuns();
  });

  test('the log of the engine is part of the system log and stays short', async () => {
    const linesWith = async (key: string) =>
      (await guest.api<{ list: object[] }>(`/api/syslog/list?count=50&key=${encodeURIComponent(key)}`)).list.length;
    expect(await linesWith('SRT endpoint connected')).toBeGreaterThan(0);
    guest.run('truncate', '--size=6M', engineLog);
    await until(() => guest.run('stat', '--format=%s', engineLog) === '0', 30_000, 'the log is shortened');
    expect(guest.run('stat', '--format=%U %s', `${engineLog}.1`)).toBe(`signalbox ${6 * 1024 * 1024}`);
    const before = await linesWith('SRT endpoint');
    process.kill(guest.process('srt-endpoint'), 'SIGKILL');
    await until(async () => (await linesWith('SRT endpoint')) > before, 20_000, 'later lines are read');
  });

  test('both start again with the machine', async () => {
    await guest.reboot();
    await guest.login();
    await untilRuns();
    expect(restarts()).toEqual(['0', '0']);
    publish(channel.push.rtmp);
    await channel.untilLive();
  });

  test('are removed by one command, which leaves the data', async () => {
    expect(guest.run('/srv/dist/install.sh', '--remove')).toContain(data);
    for (const unit of [hubUnit, engineUnit]) expect(guest.unit(unit, 'LoadState')).toBe('not-found');
    expect(guest.process('signalbox')).toBe(0);
    guest.run('test', '-e', `${data}/hub.sqlite`);
    guest.run('test', '!', '-e', '/opt/signalbox');
  });

  test('a user without root installs the hub as a service that needs no session, and removes it', async () => {
    guest.run('useradd', '--create-home', '--home-dir', '/srv/ann', 'ann');
    const asAnn = (...command: string[]) =>
      guest.run('runuser', '-u', 'ann', '--', 'env', 'XDG_RUNTIME_DIR=/run/user/1000', ...command);
    guest.run('loginctl', 'enable-linger', 'ann');
    await until(() => guest.unit('user@1000', 'ActiveState') === 'active', 20_000, 'the services of the user run');
    const home = '/srv/ann/.local';
    expect(asAnn('/srv/dist/install.sh')).toMatch(
      /^Signalbox runs\. Console: http:\/\/[^ ]+:8880\nSet-up code for the first password: \S{11}$/m,
    );
    guest.run('test', '-e', `${home}/state/signalbox/hub.sqlite`);
    expect(asAnn('/srv/dist/install.sh')).toMatch(/^Signalbox runs\. [^\n]*$/);
    expect(asAnn('/srv/dist/install.sh', '--remove')).toContain(`${home}/state/signalbox`);
    await until(() => guest.process('signalbox') === 0, 20_000, 'the hub has stopped');
    guest.run('test', '!', '-e', `${home}/opt/signalbox`);
  });
});
