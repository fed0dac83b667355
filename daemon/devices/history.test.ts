import { expect, test } from 'bun:test';
import { factsOf } from './device-facts-for-test.ts';
import { FigureHistory, historyStepMs, historySteps } from './history.ts';

const last = (values: readonly (number | null)[], count: number) => values.slice(-count);

test('a sample is the newest step, and an hour is kept', () => {
  const history = new FigureHistory();
  for (let step = 0; step < historySteps + 5; step++)
    history.add(factsOf('1', { cpu: step }), 1_000_000 * historyStepMs + step * historyStepMs);
  const { cpu } = history.read((1_000_000 + historySteps + 4) * historyStepMs, historySteps);
  expect(cpu).toHaveLength(historySteps);
  expect(cpu[0]).toBe(5);
  expect(last(cpu, 2)).toEqual([historySteps + 3, historySteps + 4]);
  const recent = history.read((1_000_000 + historySteps + 4) * historyStepMs, 2);
  expect(recent.cpu).toEqual([historySteps + 3, historySteps + 4]);
});

test('a sample holds until the next one within a minute; a longer gap stays empty', () => {
  const history = new FigureHistory();
  history.add(factsOf('1', { cpu: 10 }), 0);
  history.add(factsOf('1', { cpu: 20 }), 30_000);
  history.add(factsOf('1', { cpu: 30 }), 100_000);
  expect(last(history.read(100_000, historySteps).cpu, 11)).toEqual([
    10,
    10,
    10,
    20,
    null,
    null,
    null,
    null,
    null,
    null,
    30,
  ]);
});

test('a device that is silent has no newer figures, and after an hour none', () => {
  const history = new FigureHistory();
  history.add(factsOf('1', { cpu: 10 }), 0);
  expect(last(history.read(20_000, historySteps).cpu, 3)).toEqual([10, null, null]);
  expect(history.read(historySteps * historyStepMs, historySteps).cpu.every((value) => value === null)).toBe(true);
  history.add(factsOf('1', { cpu: 20 }), 2 * historySteps * historyStepMs);
  const { cpu } = history.read(2 * historySteps * historyStepMs, historySteps);
  expect(cpu.filter((value) => value !== null)).toEqual([20]);
});

test('the bitrate is that of all running streams; without one it is 0, and unknown if no stream states it', () => {
  const history = new FigureHistory();
  const stream = { id: '1', name: 'A', protocol: 'SRT caller' };
  const off = { ...stream, state: 'off' as const, kbps: 9 };
  history.add(factsOf('1', { streams: [off] }), 0);
  const running = { ...stream, state: 'running' as const };
  history.add(factsOf('1', { streams: [off, { ...running, kbps: 100.04 }, { ...running, kbps: 50 }] }), 10_000);
  history.add(factsOf('1', { streams: [running] }), 20_000);
  expect(last(history.read(20_000, historySteps).streamKbps, 3)).toEqual([0, 150, null]);
});
