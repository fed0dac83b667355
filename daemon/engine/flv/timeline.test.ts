import { describe, expect, test } from 'bun:test';
import { Timeline } from './timeline.ts';

const audio = 8;
const video = 9;

function createBench() {
  let clock = 1000;
  const timeline = new Timeline(() => clock);
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { timeline, pass };
}

describe('the mapping of a type', () => {
  test('applies to all frames that follow each other, whenever they are mapped', () => {
    const { timeline, pass } = createBench();
    expect(timeline.mapping(video)).toBeUndefined();
    timeline.map(video, 1000);
    pass(40);
    timeline.beginSession();
    expect(timeline.mapping(video)).toBeUndefined();
    timeline.map(video, 0xfffffff0);
    const { timestamp, offset } = timeline.mapping(video) ?? { timestamp: -1, offset: -1 };
    expect(timestamp).toBe(0xfffffff0);
    for (const step of [0, 1, 500, 40, 500]) {
      const next = ((timeline.mapping(video)?.timestamp ?? 0) + step) >>> 0;
      expect((timeline.map(video, next) ?? -1) >>> 0).toBe((next + offset) >>> 0);
      expect(timeline.mapping(video)).toEqual({ timestamp: next, offset });
    }
  });

  test('stays the same over frames that were mapped elsewhere', () => {
    const { timeline, pass } = createBench();
    expect(timeline.skip(video, 1000)).toBeUndefined();
    timeline.map(video, 5000);
    timeline.map(audio, 5010);
    timeline.beginSession();
    timeline.map(video, 0xffffff00);
    timeline.map(audio, 0xffffff10);
    const before = [timeline.mapping(video)?.offset, timeline.mapping(audio)?.offset];
    // Faster than real time, over the wrap of 32 bits.
    pass(1000);
    const mapped = timeline.skip(video, 30_000);
    expect(mapped).toBeGreaterThan(35_000);
    timeline.skip(audio, 29_990);
    expect(timeline.map(video, 30_040)).toBe((mapped ?? 0) + 40);
    timeline.map(audio, 30_010);
    expect([timeline.mapping(video)?.offset, timeline.mapping(audio)?.offset]).toEqual(before);
    expect(timeline.jumps).toBe(0);
  });

  test('is unknown while a type catches up with what was sent', () => {
    const { timeline } = createBench();
    timeline.map(video, 1000);
    timeline.map(video, 990);
    expect(timeline.mapping(video)).toBeUndefined();
    timeline.map(video, 1005);
    expect(timeline.mapping(video)).toEqual({ timestamp: 1005, offset: 0 });
  });
});

describe('the first session', () => {
  test('keeps its own timestamps', () => {
    const { timeline } = createBench();
    expect([500, 533, 566].map((at) => timeline.map(video, at))).toEqual([500, 533, 566]);
  });

  test('may have audio slightly before video, and keeps their distance', () => {
    const { timeline } = createBench();
    expect(timeline.map(video, 1000)).toBe(1000);
    expect(timeline.map(audio, 960)).toBe(960);
    expect(timeline.map(video, 1033)).toBe(1033);
    expect(timeline.map(audio, 981)).toBe(981);
    expect(timeline.jumps).toBe(0);
  });

  test('never goes back within audio or within video', () => {
    const { timeline } = createBench();
    timeline.map(video, 1000);
    expect(timeline.map(video, 990)).toBe(1000);
    expect(timeline.map(video, 1020)).toBe(1020);
  });

  test('continues across the 32-bit wrap', () => {
    const { timeline } = createBench();
    expect(timeline.map(video, 0xfffffff0)).toBe(0xfffffff0);
    expect(timeline.map(video, 17)).toBe(0x1_0000_0011);
    expect(timeline.map(audio, 0xfffffffe)).toBe(0xfffffffe);
    expect(timeline.jumps).toBe(0);
  });
});

describe('a later session', () => {
  test('continues after the previous one, with a gap for the time in between', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 90_000);
    pass(4000);
    timeline.beginSession();
    expect(timeline.map(video, 0)).toBe(94_000);
    pass(33);
    expect(timeline.map(audio, 33)).toBe(94_033);
  });

  test('that starts at once still moves forward', () => {
    const { timeline } = createBench();
    timeline.map(video, 90_000);
    timeline.beginSession();
    expect(timeline.map(video, 12)).toBe(90_001);
  });

  test('of a publisher whose clock kept running is placed the same way', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 5000);
    pass(1000);
    timeline.beginSession();
    expect(timeline.map(video, 500_000)).toBe(6000);
  });
});

describe('a new time base inside a session', () => {
  test('backwards continues after the existing frames', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 60_000);
    pass(40);
    expect(timeline.map(video, 0)).toBe(60_040);
    expect(timeline.map(video, 33)).toBe(60_073);
    expect(timeline.jumps).toBe(1);
  });

  test('forwards continues after the existing frames', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 0);
    pass(40);
    expect(timeline.map(video, 50_000_000)).toBe(40);
  });

  test('is not detected in a pause that really lasted that long', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 0);
    pass(60_000);
    expect(timeline.map(video, 60_000)).toBe(60_000);
    expect(timeline.jumps).toBe(0);
  });
});

describe('headers and data', () => {
  test('follow the frames and never move the clock', () => {
    const { timeline, pass } = createBench();
    expect(timeline.near(7)).toBe(7);
    timeline.map(video, 30_000);
    pass(33);
    expect(timeline.near(0)).toBe(30_000);
    expect(timeline.near(30_020)).toBe(30_020);
    expect(timeline.map(video, 30_033)).toBe(30_033);
    expect(timeline.jumps).toBe(0);
  });

  test('at the start of a later session come after the last frame', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 30_000);
    pass(500);
    timeline.beginSession();
    expect(timeline.near(0)).toBe(30_500);
    expect(timeline.map(video, 0)).toBe(30_500);
  });
});

describe('audio and video far apart', () => {
  test('keep their distance, and no new time base is detected', () => {
    const { timeline, pass } = createBench();
    // The distance grows to that of an encoder with a long look-ahead.
    for (let at = 0; at < 4000; at += 40) {
      const lag = Math.min(at / 2, 1500);
      expect(timeline.map(video, 10_000 + at)).toBe(10_000 + at);
      expect(timeline.map(audio, 10_000 + at - lag)).toBe(10_000 + at - lag);
      pass(40);
    }
    expect(timeline.jumps).toBe(0);
  });

  test('change their time base one after the other, and keep their distance', () => {
    const { timeline, pass } = createBench();
    const out: Record<number, number[]> = { [audio]: [], [video]: [] };
    for (let at = 0; at < 4000; at += 40) {
      out[video]!.push(timeline.map(video, at < 2000 ? 500_000 + at : at)!);
      out[audio]!.push(timeline.map(audio, at < 2200 ? 499_900 + at : at - 100)!);
      pass(40);
    }
    expect(timeline.jumps).toBe(1);
    expect(out[video]!.at(-1)! - out[audio]!.at(-1)!).toBe(100);
    expect(out[video]!.at(-1)! - out[video]![0]!).toBe(3960);
  });

  test('video that starts over is not placed at the end of audio that stopped long ago', () => {
    const { timeline, pass } = createBench();
    timeline.map(audio, 0);
    for (let at = 0; at < 20_000; at += 40) {
      timeline.map(video, at);
      pass(40);
    }
    expect(timeline.map(video, 0)).toBe(20_000);
  });
});

/**
 * A publisher with 25 pictures per second whose audio arrives later than its video. `clock` gives the publisher's clock
 * at a moment of the stream. Returns the channel times of each moment, in order.
 */
function publish(bench: ReturnType<typeof createBench>, options: Publishing) {
  const { from = 10_000, forMs, soundLateMs, clock = (at: number) => at } = options;
  const placed = { video: new Map<number, number>(), audio: new Map<number, number>() };
  for (let at = from; at < from + forMs; at += 40) {
    place(placed.video, at, bench.timeline.map(video, clock(at)));
    if (at - soundLateMs >= (options.soundFrom ?? from)) {
      place(placed.audio, at - soundLateMs, bench.timeline.map(audio, clock(at - soundLateMs)));
    }
    bench.pass(40);
  }
  return placed;
}

interface Publishing {
  readonly from?: number;
  readonly forMs: number;
  readonly soundLateMs: number;
  /** The first moment that has audio; by default that of the first picture. */
  readonly soundFrom?: number;
  readonly clock?: (at: number) => number;
}

function place(placed: Map<number, number>, moment: number, at: number | undefined): void {
  if (at !== undefined) placed.set(moment, at);
}

function steps(placed: ReadonlyMap<number, number>): number[] {
  const times = [...placed.values()];
  return times.slice(1).map((time, i) => time - times[i]!);
}

function distances({ video: pictures, audio: sounds }: ReturnType<typeof publish>): Set<number> {
  return new Set([...sounds].map(([moment, at]) => at - (pictures.get(moment) ?? Number.NaN)));
}

describe('audio that arrives late', () => {
  test('does not move the video when it starts', () => {
    const bench = createBench();
    const placed = publish(bench, { forMs: 5000, soundLateMs: 1520 });
    expect(new Set([...steps(placed.video), ...steps(placed.audio)])).toEqual(new Set([40]));
    expect(distances(placed)).toEqual(new Set([0]));
    expect(bench.timeline.jumps).toBe(0);
  });

  test('keeps its distance from the video after a reconnect, and earlier audio is dropped', () => {
    const bench = createBench();
    const before = publish(bench, { forMs: 4000, soundLateMs: 0 });
    bench.timeline.beginSession();
    const after = publish(bench, { from: 500_000, forMs: 4000, soundLateMs: 1520, soundFrom: 498_480 });
    expect(new Set(steps(after.video))).toEqual(new Set([40]));
    expect(Math.min(...after.audio.values())).toBeGreaterThanOrEqual(Math.max(...before.audio.values()) - 100);
    expect(after.audio.size).toBeGreaterThan(60);
    const late = [...after.audio].filter(([moment]) => after.video.has(moment));
    expect(new Set(late.map(([moment, at]) => at - after.video.get(moment)!))).toEqual(new Set([0]));
    expect(Math.min(...steps(after.audio))).toBeGreaterThan(0);
  });

  test('closes the gap of a clock that is set ahead, as the video does', () => {
    const bench = createBench();
    const placed = publish(bench, {
      forMs: 8000,
      soundLateMs: 1520,
      clock: (at) => (at < 14_000 ? at : at + 5000),
    });
    expect(Math.max(...steps(placed.video), ...steps(placed.audio))).toBe(40);
    expect(distances(placed)).toEqual(new Set([0]));
    expect(bench.timeline.jumps).toBe(1);
  });
});

describe('a clock that is set inside a session', () => {
  for (const by of [-700, -300, 700, 5000]) {
    test(`by ${by} ms causes neither a gap nor two frames with one time, and keeps lip sync`, () => {
      const bench = createBench();
      const clock = (at: number) => (at < 12_000 ? at : at + by);
      const placed = publish(bench, { forMs: 4000, soundLateMs: 80, clock });
      expect(new Set([...steps(placed.video), ...steps(placed.audio)])).toEqual(new Set([40]));
      expect(distances(placed)).toEqual(new Set([0]));
    });
  }

  test('continues from the last audio frame when the audio changes first', () => {
    const { timeline, pass } = createBench();
    const out: Record<number, number[]> = { [audio]: [], [video]: [] };
    for (let at = 0; at < 4000; at += 40) {
      out[audio]!.push(timeline.map(audio, at < 2000 ? 10_000 + at : 13_000 + at)!);
      out[video]!.push(timeline.map(video, at < 2400 ? 11_000 + at : 14_000 + at)!);
      pass(40);
    }
    for (const type of [audio, video]) {
      expect(new Set(out[type]!.slice(1).map((time, i) => time - out[type]![i]!))).toEqual(new Set([40]));
    }
    expect(timeline.jumps).toBe(1);
  });

  test('is not detected where pictures are missing while the audio continues', () => {
    const { timeline } = createBench();
    timeline.map(video, 1000);
    // The encoder dropped queued pictures; audio and the next picture arrive in one burst.
    for (let at = 1000; at <= 4000; at += 20) expect(timeline.map(audio, at)).toBe(at);
    expect(timeline.map(video, 4000)).toBe(4000);
    expect(timeline.jumps).toBe(0);
  });

  test('is not detected in pictures that are a second apart, however fast they arrive', () => {
    const { timeline, pass } = createBench();
    const placed = [0, 1000, 2000, 3000].map((at) => {
      pass(1000);
      return timeline.map(video, at);
    });
    expect([...placed, timeline.map(video, 4000), timeline.map(video, 5000)]).toEqual([
      0, 1000, 2000, 3000, 4000, 5000,
    ]);
  });

  test('by a small amount lets the times catch up without two frames at one time', () => {
    const { timeline } = createBench();
    expect([1000, 940, 960, 980, 1000, 1020].map((at) => timeline.map(audio, at))).toEqual([
      1000, 1000, 1001, 1002, 1003, 1020,
    ]);
  });
});
