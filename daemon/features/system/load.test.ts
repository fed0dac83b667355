import { expect, test } from 'bun:test';
import { createLoadMeter, historyStepSeconds, type MediaRates } from './load.ts';

function setup(media: () => MediaRates | null = () => null) {
  let seconds = 0;
  const cpu = { busy: 0, idle: 0 };
  const net = { received: 0, sent: 0 };
  const faults: unknown[] = [];
  let disk = () => Promise.resolve({ totalBytes: 1000, freeBytes: 400 });
  const meter = createLoadMeter({
    machine: {
      cpu: () => `cpu  ${cpu.busy} 0 0 ${cpu.idle} 0 0 0 0`,
      memory: () => 'MemTotal: 1000 kB\nMemAvailable: 250 kB',
      network: () => `eth0: ${net.received} 0 0 0 0 0 0 0 ${net.sent} 0`,
      disk: () => disk(),
      clock: () => seconds * 1000,
      now: () => 1_000_000_000 + seconds * 1000,
    },
    media,
    onFault: (error) => faults.push(error),
  });
  /** A second in which one of four cores was busy. */
  const second = ({ received = 0, sent = 0 } = {}) => {
    seconds += 1;
    cpu.busy += 100;
    cpu.idle += 300;
    net.received += received;
    net.sent += sent;
    meter.tick();
  };
  const sleep = (length: number) => {
    seconds += length;
  };
  const breakDisk = () => {
    disk = () => Promise.reject(new Error('gone'));
  };
  return { meter, second, sleep, breakDisk, faults };
}

test('load and traffic cover the last second', async () => {
  const { meter, second } = setup();
  second();
  second({ received: 1_250_000, sent: 125_000 });
  await Promise.resolve();
  expect(meter.current()).toEqual({
    cpu: 25,
    mem: 75,
    availableBytes: 250 * 1024,
    diskTotalBytes: 1000,
    diskFreeBytes: 400,
    netTx: 1,
    netRx: 10,
  });
});

test('an interface that disappears does not make traffic negative', () => {
  const { meter, second } = setup();
  second({ received: 5000, sent: 5000 });
  second({ received: -5000, sent: -5000 });
  expect([meter.current().netRx, meter.current().netTx]).toEqual([0, 0]);
});

test('the history has a mean per step, the newest last, and nothing for unknown values', () => {
  let rates: MediaRates | null = null;
  const { meter, second } = setup(() => rates);
  for (let i = 0; i < historyStepSeconds; i++) second();
  for (let i = 0; i < historyStepSeconds; i++) {
    rates = i < 2 ? null : { in: i, out: 10 };
    second({ sent: 125_000 });
  }
  const history = meter.history();
  expect([history['step-s'], history.end, history.cpu.length]).toEqual([5, 1_000_010_000, 720]);
  expect(history.cpu.slice(-3)).toEqual([null, 25, 25]);
  expect(history['net-tx'].slice(-2)).toEqual([0, 1]);
  expect(history['media-in'].slice(-2)).toEqual([null, 3]);
  expect(history['media-out'].slice(-2)).toEqual([null, 10]);
});

test('a machine that slept leaves a gap of the right length', () => {
  const { meter, second, sleep } = setup();
  for (let i = 0; i < historyStepSeconds; i++) second();
  sleep(4 * historyStepSeconds);
  for (let i = 0; i < historyStepSeconds; i++) second();
  expect(meter.history().cpu.slice(-7)).toEqual([null, 25, null, null, null, null, 25]);
});

test('the history holds 60 minutes', () => {
  const { meter, second } = setup();
  for (let i = 0; i < 3600 + historyStepSeconds; i++) second();
  const { cpu } = meter.history();
  expect(cpu).toHaveLength(720);
  expect(cpu).not.toContain(null);
});

test('a disk that cannot be queried is reported and the rest continues', async () => {
  const { second, breakDisk, faults, meter } = setup();
  breakDisk();
  for (let i = 0; i < 10; i++) second();
  await Bun.sleep(0);
  expect(faults).toHaveLength(1);
  expect(meter.current().diskFreeBytes).toBe(400);
});
