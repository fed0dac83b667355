import { afterEach, expect, test } from 'bun:test';
import type { DeviceFacts } from '../contract/device-facts.ts';
import { limits } from '../contract/limits.ts';
import { createLog } from '../lib/log.ts';
import { shippedTiming } from '../shipped-timing.ts';
import { factsOf } from './device-facts-for-test.ts';
import type { DeviceSession, Transport } from './driver.ts';
import { type Clock, createFleet } from './fleet.ts';
import { historySteps } from './history.ts';
import { DeviceProblem } from './problem.ts';
import type { Fleet, FleetDevice } from './report.ts';

const times = shippedTiming.fleet;

interface Timer {
  readonly at: number;
  readonly then: () => void;
}

/** A clock that stands still between `pass` calls. */
function manualClock() {
  let now = 1_000_000;
  let setBackMs = 0;
  const timers = new Set<Timer>();
  const clock: Clock = {
    now: () => now + setBackMs,
    elapsed: () => now,
    after(ms, then) {
      const timer = { at: now + ms, then };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 0.5,
  };
  /** Lets everything that waits for no timer run to its end. */
  const settle = () => new Promise<void>((done) => setImmediate(done));
  return {
    ...clock,
    settle,
    /** As a time server does with a clock that was fast. */
    setBack(ms: number): void {
      setBackMs = -ms;
    },
    async pass(ms: number): Promise<void> {
      const end = now + ms;
      await settle();
      for (;;) {
        let next: Timer | undefined;
        for (const timer of timers)
          if (timer.at <= end && timer.at < (next?.at ?? Number.POSITIVE_INFINITY)) next = timer;
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.then();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

interface SimulatedDevice {
  polls: number[];
  /** Sessions that were opened and closed. */
  opened: number;
  closed: number;
  answer: (signal: AbortSignal) => Promise<DeviceFacts>;
}

const transport: Transport = { request: () => Promise.reject(new Error('the driver of this test asks nobody')) };
const credentials = { user: 'Admin', password: 'secret' };
const deviceOf = (sn: string): FleetDevice => ({ sn, api: 'usapi', credentials, transport });

let fleet: Fleet;
afterEach(() => fleet.close());

function setUp({ random }: { random?: () => number } = {}) {
  const clock = { ...manualClock(), ...(random && { random }) };
  const simulated = new Map<string, SimulatedDevice>();
  const of = (sn: string) => {
    const known = simulated.get(sn);
    if (known) return known;
    const made: SimulatedDevice = { polls: [], opened: 0, closed: 0, answer: async () => factsOf(sn) };
    simulated.set(sn, made);
    return made;
  };
  let nextSn = '';
  fleet = createFleet({
    ...{ clock, times, log: createLog('error', () => {}) },
    driver: async () => ({
      api: 'usapi',
      recognizes: async () => true,
      open(way, { user }) {
        // The simulated user name says which device it is; a transport of a test may say it, too.
        const device = of(user === 'Admin' ? ((way as { sn?: string }).sn ?? nextSn) : user);
        device.opened += 1;
        const session: DeviceSession = {
          identify: async () => (await device.answer(AbortSignal.any([]))).identity,
          poll(signal) {
            device.polls.push(clock.now());
            return device.answer(signal);
          },
          close: async () => {
            device.closed += 1;
          },
        };
        return session;
      },
    }),
  });
  const ways = new Map<string, Transport>();
  const wayTo = (sn: string) => {
    const way = ways.get(sn) ?? { sn, ...transport };
    ways.set(sn, way);
    return way;
  };
  const add = (...sns: string[]) => {
    nextSn = sns[0] ?? '';
    fleet.apply(sns.map((sn) => ({ ...deviceOf(sn), transport: wayTo(sn) })));
  };
  return { clock, of, add };
}

const unreachable = () => Promise.reject(new DeviceProblem('unreachable', 'no route'));
const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));

test('a device is polled at once, then every 5 s, and every second while it is watched', async () => {
  const { clock, of, add } = setUp();
  add('1');
  expect(fleet.report('1')).toMatchObject({ connection: 'connecting' });
  await clock.pass(0);
  expect(fleet.report('1')).toMatchObject({ connection: 'online', facts: { identity: { sn: '1' } } });
  await clock.pass(10_000);
  expect(gaps(of('1').polls)).toEqual([5000, 5000]);
  const release = fleet.hold(['1', 'unknown']);
  await clock.pass(3000);
  expect(gaps(of('1').polls).slice(2)).toEqual([0, 1000, 1000, 1000]);
  release();
  release();
  await clock.pass(11_000);
  expect(gaps(of('1').polls).slice(6)).toEqual([1000, 5000, 5000]);
});

test('a device that is watched before it is accepted, or is accepted again, is polled every second', async () => {
  const { clock, of, add } = setUp();
  const release = fleet.hold(['1']);
  add('1');
  await clock.pass(3000);
  expect(gaps(of('1').polls)).toEqual([1000, 1000, 1000]);
  fleet.apply([]);
  add('1');
  await clock.pass(2000);
  expect(gaps(of('1').polls).slice(-2)).toEqual([1000, 1000]);
  release();
  await clock.pass(11_000);
  expect(gaps(of('1').polls).slice(-1)).toEqual([5000]);
});

test('hundreds of watched devices that do not answer leave places for other requests', async () => {
  const { clock, of, add } = setUp();
  const sns = Array.from({ length: 400 }, (_, index) => `D${index}`);
  for (const sn of sns) of(sn).answer = () => new Promise(() => {});
  fleet.hold(sns);
  add(...sns);
  await clock.pass(10_000);
  const asked = sns.filter((sn) => of(sn).polls.length > 0).length;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(200);
});

test('a large fleet is asked more rarely, and not in lockstep', async () => {
  let seed = 0;
  const { clock, of, add } = setUp({
    random: () => {
      seed = (seed + 0.618) % 1;
      return seed;
    },
  });
  const sns = Array.from({ length: 1000 }, (_, index) => `D${index}`);
  add(...sns);
  await clock.pass(5000);
  expect(sns.every((sn) => fleet.report(sn)?.connection === 'online')).toBe(true);
  await clock.pass(60_000);
  const perSecond = new Map<number, number>();
  for (const sn of sns)
    for (const at of of(sn).polls)
      perSecond.set(Math.floor(at / 1000), 1 + (perSecond.get(Math.floor(at / 1000)) ?? 0));
  expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(230);
  const ofOne = gaps(of('D7').polls);
  expect(Math.min(...ofOne)).toBeGreaterThanOrEqual(8000);
  expect(Math.max(...ofOne)).toBeLessThanOrEqual(12_000);
});

test('among 1,000 devices, a change of a watched one is told in less than 1.5 s', async () => {
  const { clock, of, add } = setUp();
  const sns = Array.from({ length: 1000 }, (_, index) => `D${index}`);
  const watched = sns.slice(0, limits.watchedDevices);
  let cpu = 1;
  for (const sn of sns) {
    of(sn).answer = async () => {
      const facts = { ...factsOf(sn), cpu };
      // So long is the answer on its way.
      await new Promise<void>((done) => clock.after(100, done));
      return facts;
    };
  }
  add(...sns);
  fleet.hold(watched);
  await clock.pass(20_000);
  for (const pause of [0, 130, 370, 610, 990]) {
    await clock.pass(pause);
    cpu += 1;
    const told = new Map<string, number>();
    const changed = clock.now();
    const leave = fleet.watch((news) => {
      for (const sn of news) if (fleet.report(sn)?.facts?.cpu === cpu) told.set(sn, told.get(sn) ?? clock.now());
    });
    await clock.pass(1500);
    leave();
    expect(watched.filter((sn) => !told.has(sn))).toEqual([]);
    expect(Math.max(...watched.map((sn) => (told.get(sn) ?? 0) - changed))).toBeLessThan(1500);
  }
});

test('the second request without an answer makes a device offline, and the pauses grow to a minute', async () => {
  const { clock, of, add } = setUp();
  add('1');
  await clock.pass(0);
  of('1').answer = unreachable;
  await clock.pass(5000);
  expect(fleet.report('1')).toMatchObject({ connection: 'online', problem: { word: 'unreachable' } });
  const before = clock.now();
  await clock.pass(1000);
  expect(fleet.report('1')).toMatchObject({
    connection: 'offline',
    since: before + 1000,
    facts: { identity: { sn: '1' } },
  });
  await clock.pass(400_000);
  expect(gaps(of('1').polls).slice(0, 9)).toEqual([5000, 1000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 60_000]);
  expect(fleet.report('1')).toMatchObject({ connection: 'offline', since: before + 1000 });
  of('1').answer = async () => factsOf('1');
  await clock.pass(60_000);
  expect(fleet.report('1')).toMatchObject({ connection: 'online' });
  expect(fleet.report('1')?.problem).toBeUndefined();
});

test('a watched device that was offline is online within 5 s of its return', async () => {
  const { clock, of, add } = setUp();
  of('1').answer = unreachable;
  add('1');
  await clock.pass(300_000);
  const release = fleet.hold(['1']);
  await clock.pass(20_000);
  expect(gaps(of('1').polls).slice(-3)).toEqual([5000, 5000, 5000]);
  release();
});

test('a wrong password is not tried again before it changes', async () => {
  const { clock, of, add } = setUp();
  of('1').answer = () => Promise.reject(new DeviceProblem('wrongPassword', 'refused', 36));
  add('1');
  await clock.pass(0);
  expect(fleet.report('1')).toMatchObject({ connection: 'offline', problem: { word: 'wrongPassword' } });
  fleet.hold(['1'])();
  await clock.pass(3_600_000);
  expect(of('1').polls).toHaveLength(1);
  of('new').answer = async () => factsOf('1');
  fleet.apply([{ ...deviceOf('1'), credentials: { user: 'new', password: 'right' } }]);
  await clock.pass(0);
  expect(fleet.report('1')?.connection).toBe('online');
  expect(of('1').closed).toBe(1);
});

test('another device at the address is not taken for this one', async () => {
  const { clock, of, add } = setUp();
  add('1');
  await clock.pass(0);
  of('1').answer = async () => factsOf('2');
  await clock.pass(5000);
  expect(fleet.report('1')).toMatchObject({ connection: 'offline', problem: { word: 'otherDevice' } });
  expect(fleet.report('1')?.facts?.identity.sn).toBe('1');
});

test('what a driver throws by mistake is a problem of that device alone', async () => {
  const { clock, of, add } = setUp();
  of('1').answer = () => Promise.reject(new TypeError('undefined is not an object'));
  add('1', '2');
  await clock.pass(100);
  expect(fleet.report('1')?.problem).toEqual({ word: 'invalidAnswer', message: 'undefined is not an object' });
  expect(fleet.report('2')?.connection).toBe('online');
});

test('an act waits for the request under way, is alone, and the state is asked after it', async () => {
  const { clock, of, add } = setUp();
  add('1');
  await clock.pass(0);
  const answer = Promise.withResolvers<DeviceFacts>();
  of('1').answer = () => answer.promise;
  await clock.pass(5000);
  const steps: string[] = [];
  const act = fleet.act('1', async () => {
    steps.push('act');
    return 7;
  });
  await clock.settle();
  expect(steps).toEqual([]);
  answer.resolve(factsOf('1'));
  expect(await act).toBe(7);
  const asked = of('1').polls.length;
  await clock.pass(0);
  expect(of('1').polls.length).toBe(asked + 1);
});

test('a device that was renamed has its new name while it is silent, and then the one that it states', async () => {
  const { clock, add } = setUp();
  add('1');
  await clock.pass(0);
  await fleet.act('1', async () => ({ silentMs: 10_000 }));
  fleet.renamed('1', 'Stage');
  expect(fleet.report('1')).toMatchObject({ connection: 'online', facts: { identity: { name: 'Stage' } } });
  await clock.pass(10_000);
  expect(fleet.report('1')?.facts?.identity).toEqual(factsOf('1').identity);
});

test('a device is silent after a reboot: it refuses acts, and is asked with a new session after half of the time', async () => {
  const { clock, of, add } = setUp();
  add('1');
  await clock.pass(0);
  await fleet.act('1', async () => ({ silentMs: 60_000 }));
  expect(fleet.report('1')?.silentUntil).toBe(clock.elapsed() + 60_000);
  expect(fleet.report('1')?.pauseUntil).toBe(clock.now() + 60_000);
  of('1').answer = () => Promise.reject(new DeviceProblem('unreachable', 'switched off'));
  await clock.pass(29_000);
  expect(of('1').polls).toHaveLength(1);
  await clock.pass(30_000);
  expect(of('1').polls).toHaveLength(7);
  expect(fleet.report('1')).toMatchObject({ connection: 'online', pauseUntil: clock.now() + 1000 });
  expect(fleet.report('1')?.problem).toBeUndefined();
  await expect(fleet.act('1', async () => 0)).rejects.toMatchObject({
    word: 'busy',
    message: 'restarting, back in 1 s',
  });
  await clock.pass(2000);
  expect(fleet.report('1')).toMatchObject({ connection: 'offline', problem: { word: 'unreachable' } });
  expect(fleet.report('1')?.silentUntil).toBeUndefined();
  expect(of('1')).toMatchObject({ opened: 2, closed: 1 });
});

test('the pause after a reboot ends when the device answers again; a wrong password is not tried twice', async () => {
  const { clock, of, add } = setUp();
  add('1');
  await clock.pass(0);
  await fleet.act('1', async () => ({ silentMs: 60_000 }));
  await clock.pass(30_000);
  expect(fleet.report('1')).toMatchObject({ connection: 'online' });
  expect(fleet.report('1')?.pauseUntil).toBeUndefined();
  expect(await fleet.act('1', async () => 7)).toBe(7);
  await fleet.act('1', async () => ({ silentMs: 60_000 }));
  of('1').answer = () => Promise.reject(new DeviceProblem('wrongPassword', 'reset'));
  const before = of('1').polls.length;
  await clock.pass(60_000);
  expect(of('1').polls).toHaveLength(before + 1);
  expect(fleet.report('1')).toMatchObject({ connection: 'offline', problem: { word: 'wrongPassword' } });
});

test('an act that waits for one with a pause is refused during the pause, and otherwise not ended with it', async () => {
  const { clock, add } = setUp();
  add('1');
  await clock.pass(0);
  const first = fleet.act('1', async () => ({ silentMs: 0 }));
  const second = fleet.act('1', async (_, signal) => {
    await Promise.resolve();
    signal.throwIfAborted();
    return { silentMs: 5000 };
  });
  const third = fleet.act('1', async () => 'done');
  const outcomes = await Promise.allSettled([first, second, third]);
  expect(outcomes).toMatchObject([
    { value: { silentMs: 0 } },
    { value: { silentMs: 5000 } },
    { reason: { word: 'busy', message: 'restarting, back in 5 s' } },
  ]);
});

test('too many acts on one device are refused', async () => {
  const { clock, add } = setUp();
  add('1');
  await clock.pass(0);
  const end = Promise.withResolvers<void>();
  const acts = Array.from({ length: 17 }, () => fleet.act('1', () => end.promise));
  await expect(fleet.act('1', async () => {})).rejects.toMatchObject({ word: 'busy' });
  end.resolve();
  await Promise.all(acts);
});

test('a changed way to the device ends the current request and opens a new session', async () => {
  const { clock, of, add } = setUp();
  let reason: unknown;
  of('1').answer = (signal) =>
    new Promise((_, fail) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
        fail(signal.reason);
      });
    });
  add('1');
  await clock.pass(0);
  const hanging = of('1').polls.length;
  fleet.apply([{ ...deviceOf('1'), transport: Object.assign({ sn: '2' }, transport) }]);
  of('2').answer = async () => factsOf('1');
  await clock.pass(0);
  expect(hanging).toBe(1);
  expect(reason).toBeInstanceOf(DeviceProblem);
  expect(fleet.report('1')).toMatchObject({ connection: 'online' });
  expect(fleet.report('1')?.problem).toBeUndefined();
});

test('changes are told at most every 100 ms, and a removed device is told once', async () => {
  const { clock, add } = setUp();
  const told: (readonly string[])[] = [];
  const stop = fleet.watch((sns) => told.push(sns));
  add('1', '2');
  await clock.pass(200);
  expect(told.flat().toSorted()).toEqual(['1', '2']);
  add('2');
  await clock.pass(100);
  expect(told.at(-1)).toEqual(['1']);
  expect(fleet.report('1')).toBeUndefined();
  stop();
});

test('the history has the figures of the last hour', async () => {
  const { clock, of, add } = setUp();
  of('1').answer = async () => factsOf('1', { cpu: 12 });
  add('1');
  await clock.pass(20_000);
  const history = fleet.history('1', historySteps);
  expect(history?.cpu.slice(-3)).toEqual([12, 12, 12]);
  expect(fleet.history('2', historySteps)).toBeUndefined();
});

test('a clock that is set back by an hour changes neither pauses nor the history', async () => {
  const { clock, of, add } = setUp();
  of('1').answer = async () => factsOf('1', { cpu: 12 });
  add('1');
  await clock.pass(0);
  await fleet.act('1', async () => ({ silentMs: 60_000 }));
  clock.setBack(3_600_000);
  await clock.pass(60_000);
  expect(await fleet.act('1', async () => 7)).toBe(7);
  await clock.pass(60_000);
  const { cpu, end } = fleet.history('1', historySteps) ?? { cpu: [], end: 0 };
  expect(cpu.slice(-3)).toEqual([12, 12, 12]);
  expect(clock.now() - end).toBeLessThan(10_000);
  const polls = of('1').polls.length;
  await clock.pass(30_000);
  expect(of('1').polls.length).toBeGreaterThan(polls + 3);
});
