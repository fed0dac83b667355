import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { groupTypes } from '../../contract/permission.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { sessions as table, users } from '../../store/schema.ts';
import { createSessions } from './sessions.ts';

const minute = 60_000;

function setup(minutes = 30) {
  const db = memoryDatabase();
  let time = 1_800_000_000_000;
  let expiry = minutes;
  let byMs = 0;
  const stepped = () => {
    const step = byMs;
    byMs = 0;
    return step;
  };
  const make = () => createSessions({ db, now: () => time, stepped, expiryMinutes: () => expiry });
  const sessions = make();
  const ended: string[] = [];
  sessions.onEnd((idHash) => ended.push(idHash));
  return {
    db,
    sessions,
    ended,
    restart: make,
    pass: (ms: number) => {
      time += ms;
    },
    /** Sets the clock of the machine. */
    step: (ms: number) => {
      time += ms;
      byMs += ms;
    },
    setExpiry: (next: number) => {
      expiry = next;
    },
    now: () => time,
  };
}

test('a session string has 32 upper-case letters and is stored only as a hash', () => {
  const { db, sessions } = setup();
  const text = sessions.start(db, 1, { ip: '192.0.2.1' });
  expect(text).toMatch(/^[A-Z]{32}$/);
  expect(sessions.start(db, 1, { ip: '192.0.2.1' })).not.toBe(text);
  expect(JSON.stringify(db.select().from(table).all())).not.toContain(text);
  expect(sessions.identify(text, { isUse: true })?.user).toEqual({
    id: 1,
    name: 'Admin',
    groupId: 1,
    groupName: 'Admin',
    permission: 0xffffffff,
    type: 1,
  });
});

test('an invalid session string gives no access', () => {
  const { db, sessions } = setup();
  sessions.start(db, 1, { ip: '' });
  const [row] = db.select().from(table).all();
  for (const text of ['', 'A'.repeat(32), 'a'.repeat(32), row!.idHash])
    expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('a session ends after 90 days, even if it is used and has no idle limit', () => {
  for (const minutes of [30, -1]) {
    const { db, sessions, pass, setExpiry } = setup();
    const text = sessions.start(db, 1, { ip: '' });
    const old = sessions.start(db, 1, { ip: '' });
    setExpiry(-1);
    pass(90 * 24 * 60 * minute - 1000);
    expect(sessions.identify(text, { isUse: true })).not.toBeNull();
    setExpiry(minutes);
    pass(2000);
    expect(sessions.identify(text, { isUse: true })).toBeNull();
    sessions.sweep();
    expect([text, old].map(sessions.whyEnded)).toEqual(['tooOld', 'tooOld']);
    expect(db.select().from(table).all()).toEqual([]);
  }
});

test('use extends a session, and without use it ends', () => {
  const { db, sessions, pass, ended } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  for (let i = 0; i < 5; i++) {
    pass(29 * minute);
    expect(sessions.identify(text, { isUse: true })).not.toBeNull();
  }
  pass(30 * minute + 1);
  expect(sessions.identify(text, { isUse: true })).toBeNull();
  expect(ended).toHaveLength(1);
  expect(db.select().from(table).all()).toEqual([]);
});

test('a limit of one minute is exact to the second while the session is in use', () => {
  const { db, sessions, pass } = setup(1);
  const text = sessions.start(db, 1, { ip: '' });
  for (let i = 0; i < 4; i++) {
    pass(40_000);
    expect(sessions.identify(text, { isUse: true })).not.toBeNull();
  }
  pass(60_001);
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('the time of the last use is stored once a minute at most', () => {
  const { db, sessions, pass, now } = setup();
  const text = sessions.start(db, 1, { ip: '' });
  const began = now();
  const stored = () => db.select().from(table).get()?.lastSeenAt;
  pass(59_000);
  sessions.identify(text, { isUse: true });
  expect(stored()).toBe(began);
  pass(2000);
  sessions.identify(text, { isUse: true });
  expect(stored()).toBe(now());
});

test('reading a session does not count as use', () => {
  const { db, sessions, pass } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  const { idHash } = sessions.identify(text, { isUse: true })!;
  for (let i = 0; i < 3; i++) {
    pass(10 * minute);
    expect(sessions.current(idHash)).not.toBeNull();
  }
  pass(1);
  expect(sessions.current(idHash)).toBeNull();
});

test('background calls of a page do not keep a session alive', () => {
  const { db, sessions, pass } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  pass(29 * minute);
  expect(sessions.identify(text, { isUse: false })?.user.name).toBe('Admin');
  pass(minute + 1);
  expect(sessions.identify(text, { isUse: false })).toBeNull();
});

test('the time left counts from the last use, is never rounded down, and follows the setting', () => {
  const { db, sessions, pass, setExpiry } = setup(30);
  const { idHash } = sessions.identify(sessions.start(db, 1, { ip: '' }), { isUse: true })!;
  expect(sessions.secondsLeft(idHash)).toBe(1800);
  pass(29 * minute + 1);
  expect(sessions.secondsLeft(idHash)).toBe(60);
  setExpiry(1);
  expect(sessions.secondsLeft(idHash)).toBe(0);
  setExpiry(-1);
  expect(sessions.secondsLeft(idHash)).toBe(-1);
});

test('a request with an ended session is told why, one with an unknown session is not', () => {
  const { db, sessions, pass } = setup(30);
  const start = () => sessions.start(db, 1, { ip: '' });
  const [idle, changed, own] = [start(), start(), start()];
  const idOf = (text: string) => sessions.identify(text, { isUse: true })?.idHash ?? '';
  expect(sessions.whyEnded(own)).toBeUndefined();
  sessions.end(db, idOf(own), 'signedOut');
  sessions.endAll(db, 1, 'passwordReset', idOf(idle));
  pass(31 * minute);
  sessions.sweep();
  expect(sessions.identify(idle, { isUse: true })).toBeNull();
  expect([idle, changed, own].map(sessions.whyEnded)).toEqual(['expired', 'passwordReset', 'signedOut']);
  expect([...['', 'A'.repeat(32)]].map(sessions.whyEnded)).toEqual([undefined, undefined]);
});

test('with -1 a session has no idle limit', () => {
  const { db, sessions, pass } = setup(-1);
  const text = sessions.start(db, 1, { ip: '' });
  pass(89 * 24 * 60 * minute);
  sessions.sweep();
  expect(sessions.identify(text, { isUse: true })).not.toBeNull();
});

test('a restart keeps sessions and grants the minute that was not stored', () => {
  const { db, sessions, pass, restart } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  pass(30 * minute + 59_000);
  expect(restart().identify(text, { isUse: true })).not.toBeNull();
  pass(31 * minute + 1);
  expect(restart().identify(text, { isUse: true })).toBeNull();
});

test('the cleanup deletes expired sessions, also after the limit was lowered, and keeps active ones', () => {
  const { db, sessions, pass, ended, setExpiry } = setup(30);
  sessions.start(db, 1, { ip: '' });
  pass(12 * minute);
  const used = sessions.start(db, 1, { ip: '' });
  sessions.sweep();
  expect(ended).toHaveLength(0);
  setExpiry(10);
  sessions.sweep();
  expect(ended).toHaveLength(1);
  expect(sessions.identify(used, { isUse: true })).not.toBeNull();
});

test('a user has at most 64 sessions, and the longest unused one is removed', () => {
  const { db, sessions, pass } = setup(-1);
  const first = sessions.start(db, 1, { ip: '' });
  pass(1000);
  for (let i = 0; i < 64; i++) sessions.start(db, 1, { ip: '' });
  expect(db.select().from(table).all()).toHaveLength(64);
  expect(sessions.identify(first, { isUse: true })).toBeNull();
});

test('a session has the current permissions of its user, and ends with the user', () => {
  const { db, sessions } = setup();
  db.insert(users).values({ id: 2, name: 'ann', groupId: 4, createdAt: 0 }).run();
  const text = sessions.start(db, 2, { ip: '' });
  expect(sessions.identify(text, { isUse: true })?.user.type).toBe(4);
  db.update(users).set({ groupId: 2 }).where(eq(users.id, 2)).run();
  expect(sessions.identify(text, { isUse: true })?.user.type).toBe(2);
  db.delete(users).where(eq(users.id, 2)).run();
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('a session that stays ends only after 90 days, as long as its user may not change anything', () => {
  const { db, sessions, pass, restart } = setup();
  db.insert(users).values({ id: 2, name: 'wall', groupId: groupTypes.viewer, createdAt: 0 }).run();
  const [text, other] = [sessions.start(db, 2, { ip: '' }), sessions.start(db, 2, { ip: '' })];
  const { idHash } = sessions.identify(text, { isUse: true })!;
  sessions.setStays(db, idHash, true);
  expect(sessions.secondsLeft(idHash)).toBe(-1);
  pass(24 * 60 * minute);
  sessions.sweep();
  expect(sessions.identify(other, { isUse: false })).toBeNull();
  expect(restart().identify(text, { isUse: false })?.user.name).toBe('wall');

  db.update(users).set({ groupId: groupTypes.user }).where(eq(users.id, 2)).run();
  expect(sessions.identify(text, { isUse: false })).toBeNull();
  expect(sessions.whyEnded(text)).toBe('expired');

  db.update(users).set({ groupId: groupTypes.viewer }).where(eq(users.id, 2)).run();
  const late = sessions.start(db, 2, { ip: '' });
  sessions.setStays(db, sessions.identify(late, { isUse: true })!.idHash, true);
  pass(91 * 24 * 60 * minute);
  expect(sessions.identify(late, { isUse: false })).toBeNull();
  expect(sessions.whyEnded(late)).toBe('tooOld');
});

test.each([
  ['forward', 1],
  ['back', -1],
])('S11: a session outlasts a clock that is set %s by a year, and then ends as it would have', (_, years) => {
  const { db, sessions, pass, step, restart } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  pass(20 * minute);
  step(years * 365 * 24 * 60 * minute);
  expect(sessions.secondsLeft(sessions.identify(text, { isUse: false })?.idHash ?? '')).toBe(10 * 60);
  expect(sessions.identify(text, { isUse: true })).not.toBeNull();
  sessions.sweep();
  // Also for the next hub.
  expect(restart().identify(text, { isUse: true })).not.toBeNull();
  pass(32 * minute);
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('S11: a session of a clock that was ahead does not last until then', () => {
  const { db, sessions, pass, step } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  const year = 365 * 24 * 60 * minute;
  // A machine without a battery starts in the past, which its hub does not notice, and is then set by NTP.
  pass(-year);
  step(year);
  step(year);
  sessions.sweep();
  pass(32 * minute);
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});
