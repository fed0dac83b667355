import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { sessions as table, users } from '../../store/schema.ts';
import { createSessions } from './sessions.ts';

const minute = 60_000;

function setup(minutes = 30) {
  const db = memoryDatabase();
  let time = 1_800_000_000_000;
  let expiry = minutes;
  const make = () => createSessions({ db, now: () => time, expiryMinutes: () => expiry });
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
    groupName: 'Admin',
    permission: 0xffffffff,
    type: 1,
  });
});

test('what is no session string opens nothing', () => {
  const { db, sessions } = setup();
  sessions.start(db, 1, { ip: '' });
  const [row] = db.select().from(table).all();
  for (const text of ['', 'A'.repeat(32), 'a'.repeat(32), row!.idHash])
    expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('a session ends after 90 days, even if it is used and without expiration', () => {
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

test('a session slides with its use and ends without', () => {
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

test('a limit of one minute is kept to the second while the session is in use', () => {
  const { db, sessions, pass } = setup(1);
  const text = sessions.start(db, 1, { ip: '' });
  for (let i = 0; i < 4; i++) {
    pass(40_000);
    expect(sessions.identify(text, { isUse: true })).not.toBeNull();
  }
  pass(60_001);
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});

test('the database hears of the last use once a minute at most', () => {
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

test('looking at a session is not using it', () => {
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

test('what a page asks for by itself keeps no session alive', () => {
  const { db, sessions, pass } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  pass(29 * minute);
  expect(sessions.identify(text, { isUse: false })?.user.name).toBe('Admin');
  pass(minute + 1);
  expect(sessions.identify(text, { isUse: false })).toBeNull();
});

test('how long is left counts from the last use, is never rounded down, and follows the setting', () => {
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

test('who comes with a session that has ended is told why, and a stranger is told nothing', () => {
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

test('with -1 a session does not end for lack of use', () => {
  const { db, sessions, pass } = setup(-1);
  const text = sessions.start(db, 1, { ip: '' });
  pass(89 * 24 * 60 * minute);
  sessions.sweep();
  expect(sessions.identify(text, { isUse: true })).not.toBeNull();
});

test('a restart keeps sessions and gives the minute that was not stored', () => {
  const { db, sessions, pass, restart } = setup(30);
  const text = sessions.start(db, 1, { ip: '' });
  pass(30 * minute + 59_000);
  expect(restart().identify(text, { isUse: true })).not.toBeNull();
  pass(31 * minute + 1);
  expect(restart().identify(text, { isUse: true })).toBeNull();
});

test('the sweep takes what expired, also by a lowered limit, and leaves what is in use', () => {
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

test('a user keeps 64 sessions at most, the one unused for longest goes', () => {
  const { db, sessions, pass } = setup(-1);
  const first = sessions.start(db, 1, { ip: '' });
  pass(1000);
  for (let i = 0; i < 64; i++) sessions.start(db, 1, { ip: '' });
  expect(db.select().from(table).all()).toHaveLength(64);
  expect(sessions.identify(first, { isUse: true })).toBeNull();
});

test('a session shows the permissions its user has now, and ends with the user', () => {
  const { db, sessions } = setup();
  db.insert(users).values({ id: 2, name: 'ann', groupId: 4, createdAt: 0 }).run();
  const text = sessions.start(db, 2, { ip: '' });
  expect(sessions.identify(text, { isUse: true })?.user.type).toBe(4);
  db.update(users).set({ groupId: 2 }).where(eq(users.id, 2)).run();
  expect(sessions.identify(text, { isUse: true })?.user.type).toBe(2);
  db.delete(users).where(eq(users.id, 2)).run();
  expect(sessions.identify(text, { isUse: true })).toBeNull();
});
