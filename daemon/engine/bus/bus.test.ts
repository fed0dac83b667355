import { describe, expect, test } from 'bun:test';
import { type Cursor, Ring, RingBudget, type RingLimits, type Unit } from './bus.ts';

interface Numbered extends Unit {
  readonly id: number;
}

const limits: RingLimits = { lagMs: 1000, lagBytes: 1000, ownBytes: 4000, maxBytes: 4000, maxMs: 8000 };

/** A ring on a manual clock, filled with numbered units. */
function createBench(overrides: Partial<RingLimits> = {}, budget?: RingBudget) {
  let clock = 0;
  let nextId = 0;
  const ring = new Ring<Numbered>({ ...limits, ...overrides }, () => clock, budget);
  const push = (entryPoint: boolean, bytes = 10): number => {
    ring.push({ id: nextId, bytes, entryPoint });
    return nextId++;
  };
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { ring, push, pass };
}

function takeAll(cursor: Cursor<Numbered>): number[] {
  const ids: number[] = [];
  for (let unit = cursor.take(); unit; unit = cursor.take()) ids.push(unit.id);
  return ids;
}

describe('a new subscriber', () => {
  test('that has everything before a unit continues with it, without a gap; if it is too late, it skips', () => {
    const { ring, push, pass } = createBench();
    const ids = [push(true), push(false), push(false)];
    const from = ring.newest(({ id }) => id <= (ids[1] ?? 0));
    const cursor = ring.subscribe(() => {}, { from });
    expect(cursor.isLevel).toBe(false);
    expect(takeAll(cursor)).toEqual(ids.slice(1));
    expect([cursor.isLevel, cursor.jumped]).toEqual([true, false]);
    const late = ring.subscribe(() => {}, { from });
    pass(1500);
    const entry = push(true);
    expect(takeAll(late)).toEqual([entry]);
    expect([late.jumped, late.skipped.units]).toEqual([true, 2]);
    ring.clear();
    expect([cursor.isLevel, ring.newest(() => true)]).toEqual([false, -1]);
  });

  test('is announced to the producer that fills the ring, once it has its cursor', async () => {
    const { ring } = createBench();
    const seen: unknown[] = [];
    let cursor: Cursor<Numbered> | undefined;
    ring.onReader = () => seen.push(cursor);
    cursor = ring.subscribe(() => {});
    expect(seen).toEqual([]);
    await Promise.resolve();
    expect(seen).toEqual([cursor]);
  });

  test('starts without a random access point after units arrived for the whole waiting time, and not sooner', () => {
    const { ring, push, pass } = createBench();
    const [patient, hasty] = [ring.subscribe(() => {}), ring.subscribe(() => {}, 'newest', 2000)];
    pass(5000);
    expect(takeAll(hasty)).toEqual([]);
    for (let ms = 0; ms < 2000; ms += 500) {
      push(false, 600);
      expect(takeAll(hasty)).toEqual([]);
      pass(500);
    }
    // It starts with the next unit, because buffered units may be old.
    expect(takeAll(hasty)).toEqual([]);
    expect(hasty.beganAtEntry).toBe(false);
    const next = push(false);
    expect([takeAll(hasty), takeAll(patient)]).toEqual([[next], []]);
    const entry = push(true);
    expect([takeAll(hasty), takeAll(patient)]).toEqual([[entry], [entry]]);
  });

  test('starts at a random access point that arrives while it waits', () => {
    const { ring, push, pass } = createBench();
    const cursor = ring.subscribe(() => {}, 'newest', 2000);
    push(false);
    expect(takeAll(cursor)).toEqual([]);
    pass(1000);
    const entry = push(true);
    expect([takeAll(cursor), cursor.beganAtEntry]).toEqual([[entry], true]);
  });

  test('may start at the oldest buffered random access point, unless the source ended', () => {
    const { ring, push } = createBench();
    push(false);
    const entry = push(true);
    push(false);
    const last = push(true);
    expect(takeAll(ring.subscribe(() => {}, 'oldest'))).toEqual([entry, entry + 1, last]);
    ring.endEntry();
    expect(takeAll(ring.subscribe(() => {}, 'oldest'))).toEqual([]);
  });

  test.each([
    { bound: 'time', age: 900, bytes: 10 },
    { bound: 'bytes', age: 0, bytes: 900 },
  ])('skips random access points that the bound on $bound would evict at once', ({ age, bytes }) => {
    const { ring, push, pass } = createBench();
    push(true);
    pass(age);
    push(false, bytes);
    const entry = push(true);
    const cursor = ring.subscribe(() => {}, 'oldest');
    const first = cursor.take();
    pass(150);
    push(false, 150);
    const last = push(true);
    expect([first?.id, ...takeAll(cursor)]).toEqual([entry, entry + 1, last]);
    expect(cursor.skipped.times).toBe(0);
  });

  test('that subscribed before a burst starts with all of it if it asked for the oldest', () => {
    const { ring, push } = createBench();
    push(true);
    const [late, early] = [ring.subscribe(() => {}), ring.subscribe(() => {}, 'oldest')];
    ring.clear();
    const all = [push(true), push(false), push(true)];
    expect(takeAll(early)).toEqual(all);
    expect(takeAll(late)).toEqual(all.slice(2));
  });

  test('starts at the newest buffered random access point', () => {
    const { ring, push } = createBench();
    push(true);
    push(false);
    const entry = push(true);
    const inter = push(false);
    expect(takeAll(ring.subscribe(() => {}))).toEqual([entry, inter]);
  });

  test('waits for the next random access point when none is buffered', () => {
    const { ring, push } = createBench();
    push(false);
    const cursor = ring.subscribe(() => {});
    push(false);
    expect(takeAll(cursor)).toEqual([]);
    const entry = push(true);
    expect(takeAll(cursor)).toEqual([entry]);
    expect(cursor.skipped).toEqual({ units: 0, bytes: 0, times: 0 });
  });

  test('that may not get a burst waits for the next random access point, whatever is buffered', () => {
    const { ring, push } = createBench();
    push(true);
    const cursor = ring.subscribe(() => {}, 'next');
    push(false);
    expect(takeAll(cursor)).toEqual([]);
    const entry = push(true);
    expect(takeAll(cursor)).toEqual([entry]);
  });

  test('joins a group of pictures that is longer than the lag bound', () => {
    const { ring, push, pass } = createBench();
    const ids = [push(true)];
    for (let i = 0; i < 40; i++) {
      pass(100);
      ids.push(push(false));
    }
    expect(takeAll(ring.subscribe(() => {}))).toEqual(ids);
  });

  test('is woken only by notify, until it closes', () => {
    const { ring, push } = createBench();
    let wakes = 0;
    const cursor = ring.subscribe(() => wakes++);
    push(true);
    push(false);
    expect(wakes).toBe(0);
    ring.notify();
    expect(wakes).toBe(1);
    cursor.close();
    ring.notify();
    expect(wakes).toBe(1);
    expect(ring.subscribers).toBe(0);
  });
});

describe('a slow subscriber', () => {
  test('loses whole groups by time and resumes at the newest random access point', () => {
    const { ring, push, pass } = createBench();
    push(true);
    const slow = ring.subscribe(() => {});
    slow.take();
    for (let i = 0; i < 12; i++) {
      pass(100);
      push(i % 4 === 3);
    }
    // Random access points were 4, 8 and 12; unit 1 is 1100 ms old.
    expect(takeAll(slow)).toEqual([12]);
    expect(slow.skipped).toEqual({ units: 11, bytes: 110, times: 1 });
  });

  test('loses whole groups by bytes and resumes at the newest random access point', () => {
    const { ring, push } = createBench();
    push(true, 100);
    const slow = ring.subscribe(() => {});
    for (let i = 0; i < 5; i++) push(false, 200);
    const entry = push(true, 100);
    const last = push(false, 200);
    expect(takeAll(slow)).toEqual([entry, last]);
    expect(slow.skipped).toEqual({ units: 6, bytes: 1100, times: 1 });
  });

  test('counts what was evicted before it returned', () => {
    const { ring, push } = createBench();
    push(true, 100);
    const slow = ring.subscribe(() => {});
    for (let i = 0; i < 100; i++) push(i % 10 === 9, 100);
    expect(ring.oldest()).toBeGreaterThan(0);
    expect(takeAll(slow)).toEqual([100]);
    expect(slow.skipped).toEqual({ units: 100, bytes: 10_000, times: 1 });
  });

  test('waits for a new random access point when its group was evicted from the ring', () => {
    const { ring, push } = createBench();
    push(true, 100);
    const slow = ring.subscribe(() => {});
    for (let i = 0; i < 60; i++) push(false, 100);
    expect(ring.newestEntry).toBe(-1);
    expect(takeAll(slow)).toEqual([]);
    const entry = push(true, 100);
    const last = push(false, 100);
    expect(takeAll(slow)).toEqual([entry, last]);
    expect(slow.skipped.units).toBe(61);
  });

  test('continues inside the newest group, since there is nothing to skip to', () => {
    const { ring, push, pass } = createBench();
    push(true);
    const slow = ring.subscribe(() => {});
    slow.take();
    const waiting = [push(false), push(false)];
    pass(1500);
    waiting.push(push(false));
    expect(takeAll(slow)).toEqual(waiting);
    expect(slow.skipped.times).toBe(0);
  });

  test('knows which unit comes after a jump', () => {
    const { ring, push } = createBench();
    push(true, 100);
    push(false, 100);
    const cursor = ring.subscribe(() => {});
    cursor.take();
    expect(cursor.jumped).toBe(true);
    cursor.take();
    expect(cursor.jumped).toBe(false);
    for (let i = 0; i < 11; i++) push(false, 100);
    push(true, 100);
    push(false, 100);
    cursor.take();
    expect(cursor.jumped).toBe(true);
    cursor.take();
    expect(cursor.jumped).toBe(false);
  });

  test('does not affect the others', () => {
    const { ring, push } = createBench();
    push(true);
    const frozen = ring.subscribe(() => {});
    const healthy = ring.subscribe(() => {});
    const seen: number[] = takeAll(healthy);
    for (let i = 1; i < 500; i++) {
      push(i % 30 === 0, 100);
      seen.push(...takeAll(healthy));
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(healthy.skipped.times).toBe(0);
    expect(frozen.skipped.times).toBe(0);
    expect(ring.heldBytes).toBeLessThanOrEqual(limits.maxBytes);
  });
});

describe('the ring', () => {
  test('holds the lag window and the newest group, and nothing more', () => {
    const { ring, push } = createBench();
    for (let i = 0; i < 200; i++) push(i % 5 === 0, 100);
    expect(ring.heldBytes).toBe(1000);
  });

  test('holds more than its own share while the budget of all rings lasts', () => {
    const budget = new RingBudget(6500);
    const { ring, push } = createBench({ ownBytes: 2000, maxBytes: 8000 }, budget);
    const other = createBench({ ownBytes: 2000, maxBytes: 8000 }, budget);
    for (let i = 0; i < 60; i++) push(i === 0, 100);
    expect([ring.heldBytes, ring.newestEntry, budget.used]).toEqual([6000, 0, 6000]);
    for (let i = 0; i < 40; i++) other.push(i === 0, 100);
    expect(other.ring.newestEntry).toBe(-1);
    expect(other.ring.heldBytes).toBeLessThanOrEqual(2000);
    expect(budget.used).toBe(ring.heldBytes + other.ring.heldBytes);
    ring.clear();
    expect(budget.used).toBe(other.ring.heldBytes);
    for (let i = 0; i < 40; i++) other.push(i === 0, 100);
    expect(other.ring.heldBytes).toBe(4000);
  });

  test('holds a long group up to the hard bound and no longer', () => {
    const { ring, push } = createBench();
    push(true, 100);
    for (let i = 0; i < 39; i++) push(false, 100);
    expect(ring.heldBytes).toBe(4000);
    expect(ring.newestEntry).toBe(0);
    push(false, 100);
    expect(ring.newestEntry).toBe(-1);
    // The start of the group is gone, so the rest of it is only kept for lagging subscribers.
    expect(ring.heldBytes).toBe(1000);
  });

  test('holds a long group up to the hard bound in time', () => {
    const { ring, push, pass } = createBench();
    push(true);
    pass(8000);
    push(false);
    expect(ring.newestEntry).toBe(0);
    pass(1);
    push(false);
    expect(ring.newestEntry).toBe(-1);
    expect(ring.oldest()).toBe(1);
  });

  test('keeps a unit that is larger than its bounds until the next one arrives', () => {
    const { ring, push } = createBench();
    const big = push(true, 5000);
    expect(takeAll(ring.subscribe(() => {}))).toEqual([big]);
    push(false, 10);
    expect(ring.heldBytes).toBe(10);
  });

  test('keeps its numbering over many evictions', () => {
    const { ring, push } = createBench();
    const cursor = ring.subscribe(() => {});
    for (let i = 0; i < 5000; i++) {
      push(i % 50 === 0, 100);
      expect(cursor.take()?.id).toBe(i);
    }
    expect(ring.next).toBe(5000);
  });

  test('releases everything when trimmed after its source ended', () => {
    const { ring, push, pass } = createBench();
    push(true);
    push(false);
    const lagging = ring.subscribe(() => {});
    ring.endEntry();
    ring.trim();
    expect(takeAll(lagging)).toEqual([0, 1]);
    expect(takeAll(ring.subscribe(() => {}))).toEqual([]);
    pass(1001);
    ring.trim();
    expect(ring.heldBytes).toBe(0);
  });
});

describe('clear', () => {
  test('discards buffered units and makes a new subscriber wait', () => {
    const { ring, push } = createBench();
    push(true);
    ring.clear();
    expect(ring.heldBytes).toBe(0);
    expect(takeAll(ring.subscribe(() => {}))).toEqual([]);
  });

  test('makes a subscriber that had caught up wait for a random access point, without counting a loss', () => {
    const { ring, push } = createBench();
    push(true);
    const cursor = ring.subscribe(() => {});
    takeAll(cursor);
    ring.clear();
    push(false);
    expect(takeAll(cursor)).toEqual([]);
    const entry = push(true);
    expect(takeAll(cursor)).toEqual([entry]);
    expect(cursor.skipped).toEqual({ units: 0, bytes: 0, times: 0 });
  });

  test('counts what a lagging subscriber lost', () => {
    const { ring, push } = createBench();
    push(true);
    const cursor = ring.subscribe(() => {});
    push(false);
    ring.clear();
    const entry = push(true);
    expect(takeAll(cursor)).toEqual([entry]);
    expect(cursor.skipped).toEqual({ units: 2, bytes: 20, times: 1 });
  });
});

test('a ring counts as read while it has subscribers, and for two seconds after a look at it', async () => {
  const { ring, pass } = createBench();
  let calls = 0;
  ring.onReader = () => calls++;
  expect(ring.isRead).toBe(false);
  ring.look();
  expect(ring.isRead).toBe(true);
  pass(1900);
  ring.look();
  pass(1900);
  expect(ring.isRead).toBe(true);
  pass(200);
  expect(ring.isRead).toBe(false);
  await Promise.resolve();
  expect(calls).toBe(1);
  const cursor = ring.subscribe(() => undefined);
  ring.look();
  await Promise.resolve();
  expect([ring.isRead, calls]).toEqual([true, 2]);
  pass(3000);
  expect(ring.isRead).toBe(true);
  cursor.close();
  expect(ring.isRead).toBe(false);
});
