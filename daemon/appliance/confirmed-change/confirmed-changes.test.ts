import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { withFaults } from '../faults-for-test.ts';
import { MissingPart } from '../missing-part.ts';
import { createNetDouble, doubleHardware } from '../net/double-for-test.ts';
import type { PortConfig } from '../net/port.ts';
import { createConfirmedChanges, type Ended } from './confirmed-changes.ts';
import type { Journal, JournalEntry } from './journal.ts';

const fixed = (address: string): PortConfig => ({ fixed: { address, prefix: 24, gateway: '' }, dns: [] });
const seconds = 60;

/** A machine whose hub can be killed and started again. */
function createMachine() {
  const net = createNetDouble();
  const faulty = withFaults(net.port);
  let entry: JournalEntry | undefined;
  const journal: Journal = { read: () => entry, write: (next) => (entry = next) };
  let [uptime, boots] = [1000, 1];
  let reads = 0;
  const readClock = () => {
    reads++;
    return uptime;
  };
  const clock = { seconds: readClock, bootId: () => `boot ${boots}` };
  const [ended, lines]: [string[], string[]] = [[], []];
  const log = createLog('warn', (line) => lines.push(line));
  const onEnd = ({ outcome, failure }: Ended) => ended.push(failure ?? outcome);
  const start = () => {
    const kinds = { network: async () => faulty.area };
    const changes = createConfirmedChanges({ journal, clock, kinds, onEnd, log });
    changes.resume();
    return changes;
  };
  let changes = start();
  return {
    ...{ net, faulty, ended, lines },
    changes: () => changes,
    /** Kills the hub and starts it again. */
    restart(): void {
      changes.close();
      faulty.mend();
      changes = start();
    },
    cutPower(): void {
      boots++;
      uptime = 1;
      net.cutPower();
    },
    pass: (by: number) => (uptime += by),
    begin: (address = '192.0.2.66', limit = seconds) => {
      const change = [{ port: 'eth1' as const, hardware: doubleHardware.eth1, config: fixed(address) }];
      return changes.begin({ kind: 'network', change, user: 'ann', userId: 7, seconds: limit });
    },
    address: async () => (await net.port.read()).devices[0]?.addresses[0],
    isAt: (address: string) => until(async () => (await net.port.read()).devices[0]?.addresses[0] === `${address}/24`),
    /** Resolves when the hub has compared with the clock again. */
    isCompared: () => {
      const before = reads;
      return until(() => reads > before);
    },
    hasEntry: () => entry !== undefined,
    close: () => changes.close(),
  };
}
type Machine = ReturnType<typeof createMachine>;

const [home, away] = ['192.0.2.10', '192.0.2.66'];
let machine: Machine;
afterEach(() => {
  machine.close();
  setSystemTime();
});

test('a change takes effect at once, is stored when it is confirmed, and is undone otherwise', async () => {
  machine = createMachine();
  const token = await machine.begin();
  await machine.isAt(away);
  expect(machine.net.stored('eth1')).not.toEqual(fixed(away));
  expect(await machine.changes().confirm({ token })).toMatchObject({ kind: 'network', user: 'ann', userId: 7 });
  expect(machine.net.stored('eth1')).toEqual(fixed(away));
  await machine.begin('192.0.2.67');
  await machine.isAt('192.0.2.67');
  machine.pass(seconds + 2);
  await machine.isAt(away);
  await until(() => machine.ended.length === 2);
  expect(machine.ended).toEqual(['confirmed', 'expired']);
  expect(machine.hasEntry()).toBe(false);
});

test('N13: a jump of the wall clock neither shortens nor lengthens the time to confirm', async () => {
  machine = createMachine();
  await machine.begin();
  await machine.isAt(away);
  setSystemTime(new Date('2090-01-01'));
  machine.pass(1);
  await until(() => machine.changes().waiting()?.seconds === seconds - 1);
  await machine.isCompared();
  expect(await machine.address()).toBe(`${away}/24`);
  setSystemTime(new Date('1970-01-02'));
  machine.pass(seconds + 1);
  await machine.isAt(home);
});

test('a hub that is killed while the change takes effect undoes it, because nothing proves that it can be reached', async () => {
  machine = createMachine();
  machine.faulty.fail('apply', 'crash');
  const token = await machine.begin();
  await machine.isAt(away);
  machine.restart();
  await expect(machine.changes().confirm({ token })).rejects.toMatchObject({ result: 'tryAgain' });
  machine.pass(seconds + 2);
  await machine.isAt(home);
  await until(() => machine.ended.length === 1);
  expect(machine.ended).toEqual(['expired']);
});

test('a change that was confirmed is kept although the hub is killed before it is stored, also with a power cut', async () => {
  for (const isPowerCut of [false, true]) {
    machine?.close();
    machine = createMachine();
    machine.faulty.fail('save', 'crash');
    const token = await machine.begin();
    await machine.isAt(away);
    void machine.changes().confirm({ token });
    await until(() => machine.faulty.called.includes('save'));
    if (isPowerCut) machine.cutPower();
    machine.restart();
    await machine.isAt(away);
    await until(() => machine.ended.length === 1);
    expect(machine.ended).toEqual(['confirmed']);
    expect(machine.net.stored('eth1')).toEqual(fixed(away));
  }
});

test('while the system cannot undo a change, the hub tries again less and less often, and logs the reason once', async () => {
  machine = createMachine();
  await machine.begin();
  await machine.isAt(away);
  machine.faulty.fail('revert', new MissingPart('networkManager', 'absent', 'it does not run'));
  machine.net.stop();
  machine.pass(seconds + 2);
  const tries = (count: number) => until(() => machine.faulty.called.filter((one) => one === 'revert').length >= count);
  await tries(1);
  const began = performance.now();
  await tries(2);
  // `until` looks every few milliseconds.
  expect(performance.now() - began).toBeGreaterThan(timing.confirmedChange.checkMs * 1.5);
  expect(machine.lines.filter((line) => line.includes('cannot be undone yet'))).toHaveLength(1);
  expect(machine.ended).toEqual([]);
  expect(machine.changes().waiting()).toMatchObject({ user: 'ann' });
  machine.net.start();
  machine.faulty.mend();
  await machine.isAt(home);
  await until(() => machine.ended.length === 1);
});

test('a system that reports success without doing anything leaves the old settings', async () => {
  machine = createMachine();
  machine.faulty.fail('apply', 'lie');
  await machine.begin();
  await until(() => machine.changes().waiting()?.applied === true);
  expect(await machine.address()).toBe(`${home}/24`);
  machine.pass(seconds + 2);
  await until(() => machine.ended.length === 1);
  expect(machine.net.stored('eth1')).not.toEqual(fixed(away));
});

test('a change that the system undid before its confirmation arrived is too late, and nothing of it stays', async () => {
  machine = createMachine();
  const token = await machine.begin();
  await machine.isAt(away);
  // Its checkpoint is lost with NetworkManager.
  machine.net.stop();
  machine.net.start();
  await expect(machine.changes().confirm({ token })).rejects.toMatchObject({ result: 'wrongState' });
  await machine.isAt(home);
  expect(machine.ended).toEqual(['expired']);
});

test('a change that needs no confirmation is stored once it has taken effect, and undone if it cannot', async () => {
  machine = createMachine();
  expect(await machine.begin(away, 0)).toBe('');
  await until(() => machine.ended.length === 1);
  expect(machine.net.stored('eth1')).toEqual(fixed(away));
  machine.net.take('192.0.2.9');
  await machine.begin('192.0.2.9', 0);
  await until(() => machine.ended.length === 2);
  expect(machine.ended).toEqual(['confirmed', 'addressInUse']);
  expect(await machine.address()).toBe(`${away}/24`);
});

test('only one change waits at a time, of whatever mechanism', async () => {
  machine = createMachine();
  const end = machine.changes().claim({ kind: 'web', user: 'ben', seconds: 30 });
  await expect(machine.begin()).rejects.toMatchObject({ result: 'stateChanged', params: { user: 'ben', seconds: 30 } });
  end();
  await machine.begin();
  expect(() => machine.changes().claim({ kind: 'web', user: 'ben', seconds: 30 })).toThrow('ann');
  await machine.isAt(away);
  await machine.changes().cancel();
  await machine.isAt(home);
  expect(machine.ended).toEqual(['canceled']);
});
