import { describe, expect, test } from 'bun:test';
import type { FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink } from '../flv/flv-sink.ts';
import { commandMessage, readInfo } from './commands.ts';
import { createBench, play, video } from './session-rig-for-test.ts';

describe('a player', () => {
  const startBus = (bench: ReturnType<typeof createBench>) => {
    const sink = createFlvSink(bench.bus);
    const push = (...messages: FlvMessage[]) => {
      for (const message of messages) sink.message(message);
      sink.flush();
    };
    return push;
  };
  const header: FlvMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };
  const mediaOf = (bench: ReturnType<typeof createBench>) =>
    bench
      .received()
      .filter(({ type }) => type === 9)
      .map(({ timestamp, payload }) => [timestamp, payload[0], payload[1]]);

  test('receives the start of the stream, and starts with headers and the newest key frame', () => {
    const bench = createBench();
    const push = startBus(bench);
    push(header, video(0));
    push(video(33, 0x27));
    push(video(66), video(99, 0x27));
    bench.open();
    bench.send(play('key'));
    push(video(132, 0x27));
    const codes = bench.commands().map(({ args }) => readInfo(args[0]).code);
    expect(codes.slice(-2)).toEqual(['NetStream.Play.Reset', 'NetStream.Play.Start']);
    expect(mediaOf(bench)).toEqual([
      [66, 0x17, 0],
      [66, 0x17, 1],
      [99, 0x27, 1],
      [132, 0x27, 1],
    ]);
  });

  test('may connect before the publisher, and waits', () => {
    const bench = createBench();
    bench.open();
    bench.send(play('key'));
    bench.pass(60_000);
    expect(bench.socket.ended).toBe('');
    startBus(bench)(header, video(0));
    expect(mediaOf(bench)).toEqual([
      [0, 0x17, 0],
      [0, 0x17, 1],
    ]);
  });

  test('that is refused receives the reason', () => {
    const bench = createBench({ play: { ok: false, code: 'NetStream.Play.StreamNotFound', text: 'no' } });
    bench.open();
    bench.send(play('key'));
    expect(readInfo(bench.commands().at(-1)?.args[0]).code).toBe('NetStream.Play.StreamNotFound');
  });

  test('that is slow loses a group, and gets the headers again before the next key frame', () => {
    const bench = createBench();
    const push = startBus(bench);
    bench.open();
    bench.send(play('key'));
    push(header, video(0));
    bench.socket.room = 0;
    for (let at = 1; at <= 6; at++) {
      bench.pass(1000);
      push(video(at * 1000), video(at * 1000 + 500, 0x27));
    }
    bench.socket.room = Number.POSITIVE_INFINITY;
    bench.session.drain();
    // Blocks with the unit at 1000 in progress, which is written completely; after that the rest is too old.
    expect(mediaOf(bench)).toEqual([
      [0, 0x17, 0],
      [0, 0x17, 1],
      [1000, 0x17, 1],
      [1500, 0x27, 1],
      [2000, 0x17, 1],
      [2500, 0x27, 1],
      [3000, 0x17, 1],
      [3500, 0x27, 1],
      [4000, 0x17, 1],
      [4500, 0x27, 1],
      [5000, 0x17, 1],
      [5500, 0x27, 1],
      [6000, 0x17, 1],
      [6500, 0x27, 1],
    ]);
    expect(bench.client()?.stats().feed).toMatchObject({ skips: 0 });
  });

  test.each([
    ['without headers that it has', header, []],
    ['with a header that changed', { ...header, payload: Uint8Array.of(...header.payload, 7) }, [[9000, 0x17, 0]]],
  ])('that lags more than five seconds skips to the newest key frame, %s', (_, newest, sent) => {
    const bench = createBench();
    const push = startBus(bench);
    bench.open();
    bench.send(play('key'));
    push(header, video(0));
    bench.socket.room = 0;
    for (let at = 1; at <= 9; at++) {
      bench.pass(1000);
      push(...(at === 5 ? [newest] : []), video(at * 1000));
    }
    bench.socket.room = Number.POSITIVE_INFINITY;
    bench.session.drain();
    expect(mediaOf(bench)).toEqual([[0, 0x17, 0], [0, 0x17, 1], [1000, 0x17, 1], ...sent, [9000, 0x17, 1]]);
    expect(bench.client()?.stats().feed).toMatchObject({ skips: 1, skippedUnits: 8 });
  });

  test('that reads nothing for ten seconds is dropped, and leaves the ring', () => {
    const bench = createBench();
    const push = startBus(bench);
    bench.open();
    bench.send(play('key'));
    push(header, video(0));
    bench.socket.room = 0;
    push(video(33));
    bench.pass(9999);
    expect(bench.socket.ended).toBe('');
    bench.pass(1);
    expect(bench.socket.ended).toBe('terminate');
    expect(bench.events).toEqual(['player closed: took no data for 10 s']);
    expect(bench.bus.ring.subscribers).toBe(0);
  });

  test('stays when the publisher leaves, and continues with the next one', () => {
    const bench = createBench();
    bench.open();
    bench.send(play('key'));
    const first = createFlvSink(bench.bus);
    for (const message of [header, video(5000)]) first.message(message);
    first.close('gone');
    bench.pass(2000);
    const push = startBus(bench);
    // The same header is not sent again, a different one is.
    push(header, video(0));
    push({ ...header, payload: Uint8Array.of(...header.payload, 7) }, video(40));
    expect(mediaOf(bench)).toEqual([
      [5000, 0x17, 0],
      [5000, 0x17, 1],
      [7000, 0x17, 1],
      [7000, 0x17, 0],
      [7040, 0x17, 1],
    ]);
  });

  test('may stop', () => {
    const bench = createBench();
    bench.open();
    bench.send(play('key'));
    bench.send(commandMessage(0, 'deleteStream', 4, null, 1));
    expect(bench.events).toEqual(['player closed: stopped by the client']);
    expect(bench.bus.ring.subscribers).toBe(0);
  });
});
