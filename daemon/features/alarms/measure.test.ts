import { describe, expect, test } from 'bun:test';
import type { AlarmRules } from '../../contract/alarm-fields.ts';
import { defaultAlarmRules } from '../../contract/alarm-kinds.ts';
import type { ChannelStatus, FailoverStatus, InputStatus, OutputStatus } from '../../media/protocol/reported.ts';
import { type Past, readChannel, remember } from './measure.ts';

const channel = {
  ...{ id: 1, name: 'Studio', enabled: true, input: undefined, backup: undefined },
  outputs: [{ id: 7, name: 'CDN', enabled: true }],
};
const flowing: InputStatus = {
  ...{ conn: 10, state: 2, kbps: 6000, bytes: 1_000_000, since: 5, protocol: 'srt', peer: '', reconnects: 0 },
  ...{ quiet: { video: 0, audio: 0 }, ccErrors: 0 },
};
const gone: InputStatus = {
  ...{ conn: 0, state: 7, kbps: 0, bytes: 1_000_000, since: 0, protocol: '', peer: '', reconnects: 0 },
};
const output: OutputStatus = { id: 7, conn: 10, state: 2, kbps: 1, bytes: 1, since: 1, reconnects: 0, skipped: 0 };
const settled: Past = { since: 5, flowsFrom: 0, samples: [] };
const everything: AlarmRules = {
  ...defaultAlarmRules,
  'bitrate-below': { enable: true, kbps: 1000, seconds: 10 },
};

function conditions(
  input: Partial<InputStatus>,
  { past = settled, outputs = [output] }: { past?: Past; outputs?: OutputStatus[] } = {},
): Record<string, string> {
  const status: ChannelStatus = { id: 1, input: { ...flowing, ...input }, outputs, clients: [] };
  const list = readChannel(channel, everything, status, past, 60_000);
  return Object.fromEntries(list.map(({ kind, condition }) => [kind, condition]));
}

test('a channel without problems has no bad condition', () => {
  expect(Object.values(conditions({})).filter((condition) => condition === 'bad')).toEqual([]);
});

test('a channel that is off is not measured, nor is a rule that is off', () => {
  expect(readChannel({ ...channel, enabled: false }, everything, undefined, undefined, 0)).toEqual([]);
  const list = readChannel(channel, defaultAlarmRules, undefined, undefined, 0);
  expect(list.map(({ kind }) => kind)).not.toContain('bitrate-below');
  expect(new Set(list.map(({ condition }) => condition))).toEqual(new Set(['unknown']));
});

test('the measurements distinguish backup, slate and main input', () => {
  const read = (active: FailoverStatus['active'] | undefined) => {
    const both = { main: flowing, backup: flowing, switchedAt: 0, switchReason: 'none', switches: 0 } as const;
    const status: ChannelStatus = {
      ...{ id: 1, input: flowing, outputs: [output], clients: [] },
      ...(active && { failover: { active, ...both } }),
    };
    const list = readChannel(channel, everything, status, settled, 60_000);
    return list.filter(({ kind, condition }) => kind.startsWith('on-') && condition === 'bad').map(({ kind }) => kind);
  };
  expect(read('backup')).toEqual(['on-backup']);
  expect(read('slate')).toEqual(['on-slate']);
  expect(read('main')).toEqual([]);
  expect(read(undefined)).toEqual([]);
});

describe('no input', () => {
  const read = (input: Partial<InputStatus>, configured: object | undefined, backup?: object) => {
    const status: ChannelStatus = { id: 1, input: { ...gone, ...input }, outputs: [], clients: [] };
    const list = readChannel({ ...channel, input: configured, backup }, everything, status, undefined, 0);
    return list.find(({ kind }) => kind === 'no-input')?.condition;
  };
  test('is bad once there was an input, or if the input is pulled', () => {
    expect(read({}, undefined)).toBe('bad');
    expect(read({ bytes: 0 }, {})).toBe('bad');
    expect(read({ bytes: 0 }, undefined, {})).toBe('bad');
    expect(read({ bytes: 0 }, undefined)).toBe('between');
  });
  test('is the only alarm of a channel without input', () => {
    const wrong = Object.entries(
      conditions(gone, { past: { ...settled, since: 0 }, outputs: [{ ...output, conn: 21 }] }),
    );
    expect(wrong.filter(([, condition]) => condition === 'bad')).toEqual([['no-input', 'bad']]);
  });
});

test('missing video and audio are counted by the engine', () => {
  expect(conditions({ quiet: { video: 5, audio: 4 } })).toMatchObject({ 'no-video': 'bad', 'no-audio': 'between' });
  expect(conditions({ quiet: { video: 1, audio: 60 } })).toMatchObject({ 'no-video': 'good', 'no-audio': 'bad' });
});

test('an input that has just connected gets a grace period', () => {
  const past = { ...settled, flowsFrom: 58_000 };
  const late = conditions({ quiet: { video: 9, audio: 9 }, kbps: 1 }, { past, outputs: [{ ...output, conn: 21 }] });
  expect(Object.values(late)).not.toContain('bad');
});

test('a low rate is bad, and good again only slightly above the limit', () => {
  expect(conditions({ kbps: 999 })['bitrate-below']).toBe('bad');
  expect(conditions({ kbps: 1020 })['bitrate-below']).toBe('between');
  expect(conditions({ kbps: 1050 })['bitrate-below']).toBe('good');
});

test('an output that fails or keeps connecting is bad, one that waits for callers is not', () => {
  const of = (change: Partial<OutputStatus>) =>
    conditions({}, { outputs: [{ ...output, ...change }] })['output-failed'];
  expect(of({ conn: 22 })).toBe('bad');
  expect(of({ conn: 1, state: 0 })).toBe('bad');
  expect(of({ conn: 0, state: 0 })).toBe('good');
});

describe('counters over time', () => {
  const after = (seconds: number, change: (second: number) => Partial<InputStatus>): Past => {
    let past: Past | undefined;
    for (let second = 0; second <= seconds; second++) {
      past = remember(past, { ...flowing, ...change(second) }, second * 1000);
    }
    return past!;
  };
  const read = (past: Past, input: Partial<InputStatus>, now: number) => {
    const status: ChannelStatus = { id: 1, input: { ...flowing, ...input }, outputs: [output], clients: [] };
    return Object.fromEntries(readChannel(channel, everything, status, past, now).map((one) => [one.kind, one]));
  };
  const srt = (lost: number, packets: number) => ({
    srt: { rttMs: 1, packets, lost, retransmitted: 0, dropped: 0, bufferMs: 1 },
  });

  test('continuity errors are counted over a minute', () => {
    const past = after(120, (second) => ({ ccErrors: second < 100 ? 0 : second - 100 }));
    expect(read(past, {}, 120_000)['cc-errors']).toMatchObject({ condition: 'bad', value: 20 });
    const old = after(180, (second) => ({ ccErrors: Math.min(second, 20) }));
    expect(read(old, {}, 180_000)['cc-errors']).toMatchObject({ condition: 'good', value: 0 });
  });

  test('a new connection starts counting again', () => {
    const past = after(60, (second) => (second < 50 ? { ccErrors: 500 } : { ccErrors: 0, since: 9 }));
    expect(past.samples).toHaveLength(11);
    expect(read(past, {}, 60_000)['cc-errors']).toMatchObject({ value: 0 });
  });

  test('loss is the share of lost packets in ten seconds', () => {
    const steady = (second: number) => srt(second * 10, second * 100);
    expect(read(after(5, steady), steady(5), 5000)['srt-loss']).toMatchObject({ condition: 'between' });
    expect(read(after(20, steady), steady(20), 20_000)['srt-loss']).toMatchObject({ condition: 'bad', value: 10 });
    const clean = (second: number) => srt(7, second * 100);
    expect(read(after(20, clean), clean(20), 20_000)['srt-loss']).toMatchObject({ condition: 'good', value: 0 });
  });
});
