import { describe, expect, test } from 'bun:test';
import type { FailoverRule } from '../../media/protocol/desired.ts';
import {
  type FailoverEvent,
  type FailoverState,
  type InputView,
  lossOf,
  needsBackup,
  nextState,
  type OpenState,
  returnsInMs,
  roleOf,
  starting,
  type View,
} from './state.ts';

const open = (is: OpenState['is'], rest: Partial<OpenState> = {}): OpenState => ({
  ...{ is, reason: 'none', mainWasGood: true },
  ...rest,
});
const states = {
  starting: open('starting'),
  main: open('main'),
  backup: open('backup'),
  slate: open('slate'),
  closed: { is: 'closed', last: 'backup' },
} as const satisfies Record<FailoverState['is'], FailoverState>;

const good: InputView = { loss: undefined, canJoin: true, goodMs: 1000 };
/** Good, but its newest keyframe is no longer held. */
const late: InputView = { ...good, canJoin: false };
const lost: InputView = { loss: 'noData', canJoin: true, goodMs: 0 };
const stable: InputView = { ...good, goodMs: 2000 };

function look(main: InputView, backup: InputView, rest: Partial<View> = {}): FailoverEvent & { event: 'look' } {
  const rule = { back: 'stable', 'stable-s': 2 } as const;
  return { event: 'look', view: { now: 100, rule, main, backup, slateIsReady: false, isHeadStart: false, ...rest } };
}
const slateIsReady = true;
const events = {
  'both good': look(good, good),
  'main stable': look(stable, good),
  'main late': look(late, lost),
  'only main': look(good, lost),
  'backup late': look(lost, late),
  'backup late, slate': look(lost, late, { slateIsReady }),
  'only backup': look(lost, good),
  neither: look(lost, lost),
  'only slate': look(lost, lost, { slateIsReady }),
  'keyframe of main': { event: 'keyframe', role: 'main' },
  'keyframe of backup': { event: 'keyframe', role: 'backup' },
  'main requested': { event: 'request', role: 'main', until: 200 },
  'backup requested': { event: 'request', role: 'backup', until: 200 },
  close: { event: 'close' },
} as const satisfies Record<string, FailoverEvent>;
type Name = keyof typeof events;

/** '-': nothing changes. `next X`: X takes over with its next keyframe. `request X`: X was chosen. */
const requests = { 'main requested': 'request main', 'backup requested': 'request backup' } as const;
/** No input waits for its keyframe. */
const keyframes = { 'keyframe of main': '-', 'keyframe of backup': '-' } as const;
const table: Record<FailoverState['is'], Record<Name, string>> = {
  starting: {
    ...{ 'both good': 'main', 'main stable': 'main', 'main late': 'next main', 'only main': 'main' },
    ...{ 'backup late': 'next backup', 'backup late, slate': 'next backup', 'only backup': 'backup' },
    ...{ neither: '-', 'only slate': 'slate', ...keyframes, ...requests, close: 'closed' },
  },
  main: {
    ...{ 'both good': '-', 'main stable': '-', 'main late': '-', 'only main': '-' },
    ...{ 'backup late': 'next backup', 'backup late, slate': 'slate', 'only backup': 'backup' },
    ...{ neither: '-', 'only slate': 'slate', ...keyframes, ...requests, close: 'closed' },
  },
  backup: {
    ...{ 'both good': '-', 'main stable': 'next main', 'main late': 'next main', 'only main': 'main' },
    ...{ 'backup late': '-', 'backup late, slate': '-', 'only backup': '-' },
    ...{ neither: '-', 'only slate': 'slate', ...keyframes, ...requests, close: 'closed' },
  },
  slate: {
    ...{ 'both good': 'next main', 'main stable': 'next main', 'main late': 'next main', 'only main': 'next main' },
    ...{ 'backup late': 'next backup', 'backup late, slate': 'next backup', 'only backup': 'next backup' },
    ...{ neither: '-', 'only slate': '-', ...keyframes, ...requests, close: 'closed' },
  },
  closed: {
    ...{ 'both good': '-', 'main stable': '-', 'main late': '-', 'only main': '-' },
    ...{ 'backup late': '-', 'backup late, slate': '-', 'only backup': '-', neither: '-', 'only slate': '-' },
    ...{ ...keyframes, 'main requested': '-', 'backup requested': '-', close: '-' },
  },
};

const rows = Object.values(states).flatMap((state) =>
  Object.entries(table[state.is]).map(([event, expected]) => [state.is, event as Name, expected] as const),
);

test.each(rows)('%s, %s: %s', (is, event, expected) => {
  const state = states[is];
  const next = nextState(state, events[event]);
  if (expected === '-') expect(next).toBe(state);
  else if (next.is !== state.is) expect(next.is as string).toBe(expected);
  else if (next.is !== 'closed') {
    expect(next.next ? `next ${next.next.role}` : `request ${next.request?.role}`).toBe(expected);
  }
});

describe('what takes over with its next keyframe', () => {
  const waiting = open('main', { next: { role: 'backup', reason: 'noData' } });

  test('takes over with that, and with no other', () => {
    expect(nextState(waiting, events['keyframe of main'])).toBe(waiting);
    expect(nextState(waiting, events['keyframe of backup'])).toMatchObject({ is: 'backup', reason: 'noData' });
    expect(nextState(waiting, events['keyframe of backup'])).not.toHaveProperty('next');
  });

  test('is forgotten when it is lost, and stays while it is good', () => {
    expect(nextState(waiting, events.neither)).toHaveProperty('next', undefined);
    expect(nextState(waiting, events['backup late'])).toBe(waiting);
  });
});

describe('an operator’s choice', () => {
  const choose = (role: 'main' | 'backup') => ({ role, until: 200 });
  const asked = open('main', { request: choose('backup') });

  test('takes over with the next keyframe, and keeps the main input away', () => {
    const next = nextState(asked, events['both good']);
    expect(next).toMatchObject({ is: 'main', next: { role: 'backup', reason: 'operator' } });
    expect(nextState(next, events['both good'])).toBe(next);
    const backup = nextState(next, events['keyframe of backup']);
    expect(backup).toMatchObject({ is: 'backup', reason: 'operator', request: { role: 'backup' } });
    expect(nextState(backup, events['main stable'])).toBe(backup);
  });

  test('waits for its input until its time is over', () => {
    expect(nextState(asked, look(good, lost, { now: 200 }))).toBe(asked);
    expect(nextState(asked, look(good, lost, { now: 201 }))).toHaveProperty('request', undefined);
    expect(nextState(asked, look(good, good, { now: 201 }))).toHaveProperty('next.reason', 'operator');
  });

  test('ends when something else is shown', () => {
    const backup = open('backup', { request: choose('backup') });
    expect(nextState(backup, events['only main'])).toMatchObject({ is: 'main', request: undefined });
    expect(nextState(backup, events['only slate'])).toMatchObject({ is: 'slate', request: undefined });
  });
});

test('the main input comes back by itself only if the rule says so', () => {
  for (const back of ['never', 'hand'] as const) {
    const event = look(stable, good, { rule: { back, 'stable-s': 2 } });
    expect(nextState(states.backup, event)).toBe(states.backup);
  }
});

test.each([
  ['it is good for part of the time', states.backup, look(good, good), 1000],
  ['it is good for long enough', states.backup, look({ ...good, goodMs: 2500 }, good), 0],
  ['it is lost', states.backup, look(lost, good), undefined],
  ['an operator decides', states.backup, look(good, good, { rule: { back: 'hand', 'stable-s': 2 } }), undefined],
  ['the backup was chosen', open('backup', { request: { role: 'backup', until: 200 } }), look(good, good), undefined],
  ['it is on air', states.main, look(good, good), undefined],
  ['the slate is on air', states.slate, look(good, lost), undefined],
] as const)('when the main input comes back: %s', (_, state, { view }, expected) => {
  expect(returnsInMs(state, view)).toBe(expected);
});

test('the main input has a head start, unless it was good before', () => {
  const early = { isHeadStart: true, slateIsReady };
  expect(nextState(starting, look(lost, good, early))).toBe(starting);
  expect(nextState(starting, look(lost, lost, early))).toBe(starting);
  expect(nextState(starting, look(good, good, early))).toMatchObject({ is: 'main', mainWasGood: true });
  expect(nextState(states.starting, look(lost, good, early)).is).toBe('backup');
});

test('what is shown is reported, the main input before anything is, and the last one afterwards', () => {
  expect(Object.values(states).map(roleOf)).toEqual(['main', 'main', 'backup', 'slate', 'backup']);
  expect(nextState(states.slate, events.close)).toEqual({ is: 'closed', last: 'slate' });
});

test.each([
  ['the main input is lost', states.main, look(lost, lost), true],
  ['the main input has a head start', starting, look(lost, lost, { isHeadStart: true }), undefined],
  ['the backup is shown', states.backup, look(stable, good), true],
  ['the backup was chosen', open('main', { request: { role: 'backup', until: 200 } }), look(stable, lost), true],
  ['the main input is good for a moment', states.main, look(good, good), undefined],
  ['the main input is good for long enough', states.main, look(stable, good), false],
  ['it is closed', states.closed, look(lost, lost), undefined],
] as const)('whether a cold backup is needed: %s', (_, state, { view }, expected) => {
  expect(needsBackup(state, view, 1500)).toBe(expected);
});

test('an input is lost by the first of its reasons', () => {
  const rule = { 'no-data-ms': 100, 'no-video-ms': 200, 'no-audio-ms': 300 } as FailoverRule;
  const seen = { any: 1000, video: 1000, audio: 1000, hasKeyframe: true };
  expect(lossOf(undefined, rule, 1000)).toBe('ended');
  expect(lossOf(seen, rule, 1100)).toBeUndefined();
  expect(lossOf(seen, rule, 1101)).toBe('noData');
  expect(lossOf({ ...seen, hasKeyframe: false }, rule, 1000)).toBe('noData');
  expect(lossOf({ ...seen, any: 1300 }, rule, 1301)).toBe('noVideo');
  expect(lossOf({ ...seen, any: 1300, video: 1300 }, rule, 1301)).toBe('noAudio');
  expect(lossOf({ ...seen, any: 1300 }, { ...rule, 'no-video-ms': 0, 'no-audio-ms': 0 }, 1301)).toBeUndefined();
});
