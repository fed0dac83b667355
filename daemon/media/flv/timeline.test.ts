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

describe('the first session', () => {
  test('keeps its own timestamps', () => {
    const { timeline } = createBench();
    expect([500, 533, 566].map((at) => timeline.map(video, at))).toEqual([500, 533, 566]);
  });

  test('may have audio a little before video, and keeps their distance', () => {
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

  test('goes on across the end of 32 bits', () => {
    const { timeline } = createBench();
    expect(timeline.map(video, 0xfffffff0)).toBe(0xfffffff0);
    expect(timeline.map(video, 17)).toBe(0x1_0000_0011);
    expect(timeline.map(audio, 0xfffffffe)).toBe(0xfffffffe);
    expect(timeline.jumps).toBe(0);
  });
});

describe('a later session', () => {
  test('continues after the last one, with the time between left free', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 90_000);
    pass(4000);
    timeline.beginSession();
    expect(timeline.map(video, 0)).toBe(94_000);
    pass(33);
    expect(timeline.map(audio, 33)).toBe(94_033);
  });

  test('that begins at once still goes forward', () => {
    const { timeline } = createBench();
    timeline.map(video, 90_000);
    timeline.beginSession();
    expect(timeline.map(video, 12)).toBe(90_001);
  });

  test('of a publisher that counts on is placed the same way', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 5000);
    pass(1000);
    timeline.beginSession();
    expect(timeline.map(video, 500_000)).toBe(6000);
  });
});

describe('a new time base inside a session', () => {
  test('backwards continues after what was there', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 60_000);
    pass(40);
    expect(timeline.map(video, 0)).toBe(60_040);
    expect(timeline.map(video, 33)).toBe(60_073);
    expect(timeline.jumps).toBe(1);
  });

  test('forwards continues too', () => {
    const { timeline, pass } = createBench();
    timeline.map(video, 0);
    pass(40);
    expect(timeline.map(video, 50_000_000)).toBe(40);
  });

  test('is not seen in a pause that really lasted that long', () => {
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

describe('sound and picture far apart', () => {
  test('keep their distance, and it is no new time base', () => {
    const { timeline, pass } = createBench();
    // The distance grows to what an encoder with a long look-ahead has.
    for (let at = 0; at < 4000; at += 40) {
      const lag = Math.min(at / 2, 1500);
      expect(timeline.map(video, 10_000 + at)).toBe(10_000 + at);
      expect(timeline.map(audio, 10_000 + at - lag)).toBe(10_000 + at - lag);
      pass(40);
    }
    expect(timeline.jumps).toBe(0);
  });

  test('change their time base one after the other, and are as far apart as before', () => {
    const { timeline, pass } = createBench();
    const out: Record<number, number[]> = { [audio]: [], [video]: [] };
    for (let at = 0; at < 4000; at += 40) {
      out[video]!.push(timeline.map(video, at < 2000 ? 500_000 + at : at));
      out[audio]!.push(timeline.map(audio, at < 2200 ? 499_900 + at : at - 100));
      pass(40);
    }
    expect(timeline.jumps).toBe(1);
    expect(out[video]!.at(-1)! - out[audio]!.at(-1)!).toBe(100);
    expect(out[video]!.at(-1)! - out[video]![0]!).toBe(3960);
  });

  test('a picture that begins anew does not take up what sound left long ago', () => {
    const { timeline, pass } = createBench();
    timeline.map(audio, 0);
    for (let at = 0; at < 20_000; at += 40) {
      timeline.map(video, at);
      pass(40);
    }
    expect(timeline.map(video, 0)).toBe(20_000);
  });
});
