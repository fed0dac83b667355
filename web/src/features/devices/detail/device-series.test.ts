import { expect, test } from 'bun:test';
import { deviceSeries, type History, topOf } from './device-series.ts';

const unknown = [null, null, null, null, null, null];
const history = (more: Partial<History>): History => ({
  ...{ 'step-s': 10, end: 100_000, cpu: unknown, temperature: unknown },
  ...{ 'rx-kbps': unknown, 'tx-kbps': unknown, 'stream-kbps': unknown },
  ...more,
});

test('each value has its time, and a figure that the device never states has no curve', () => {
  const { time, curves } = deviceSeries(history({ cpu: [null, 20, 30, null, 25, 26] }));
  expect(time).toEqual([50, 60, 70, 80, 90, 100]);
  expect(curves.map(({ figure, min, max }) => [figure, min, max])).toEqual([['cpu', 20, 30]]);
});

test('a gap is where nothing at all is known after something was; the newest step is none', () => {
  const some = { cpu: [null, 20, null, null, 25, null], 'tx-kbps': [null, 1, null, null, null, null] };
  expect(deviceSeries(history(some))).toMatchObject({ gaps: [{ from: 60, to: 80 }], gapSeconds: 20 });
  const lasting = { cpu: [10, null, null, null, null, null], temperature: [null, 50, null, null, null, null] };
  expect(deviceSeries(history(lasting)).gaps).toEqual([{ from: 60, to: 90 }]);
  expect(deviceSeries(history({})).gaps).toEqual([]);
});

test('ten minutes are shown until more is known, then the hour', () => {
  const spanOf = (known: number) => {
    const cpu = Array.from({ length: 360 }, (_, at) => (at < 360 - known ? null : 5));
    return deviceSeries(history({ cpu, temperature: [], 'stream-kbps': [] })).spanSeconds;
  };
  expect([spanOf(1), spanOf(60), spanOf(61), spanOf(360)]).toEqual([600, 600, 3600, 3600]);
});

test('the scale of the CPU is whole; others grow with their values', () => {
  const curve = { values: [], min: 0 };
  expect(topOf({ ...curve, figure: 'cpu', max: 3 })).toBe(100);
  expect(topOf({ ...curve, figure: 'temperature', max: 50 })).toBe(80);
  expect(topOf({ ...curve, figure: 'rate', max: 8000 })).toBeCloseTo(8800);
});
