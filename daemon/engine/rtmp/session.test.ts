import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { encodeAmf } from '../flv/amf0.ts';
import { encodeMessages, uint32Message, userControlMessage } from './chunk-writer.ts';
import { commandMessage, readInfo } from './commands.ts';
import { badName, createBench, mediaBytes, play, publish, video } from './session-rig-for-test.ts';

describe('connect', () => {
  test('is answered with windows, chunk size and success', () => {
    const bench = createBench();
    bench.open();
    // The reader applies the chunk size itself; otherwise it could not have read the whole result.
    expect(bench.received().map(({ type }) => type)).toEqual([5, 6, 20]);
    const [result] = bench.commands();
    expect(result).toMatchObject({ name: '_result', transaction: 1 });
    expect(readInfo(result?.args[0]).code).toBe('NetConnection.Connect.Success');
    expect(result?.object.capsEx).toBeUndefined();
  });

  test('of an enhanced client is answered with the supported codecs', () => {
    const bench = createBench();
    bench.shakeHands();
    bench.send(commandMessage(0, 'connect', 1, { app: 'live', fourCcList: ['hvc1'] }));
    expect(bench.commands()[0]?.object).toMatchObject({ fourCcList: ['*'], capsEx: 6 });
  });

  test('to another application is refused with the reason', () => {
    const bench = createBench();
    bench.open('other');
    const [error] = bench.commands();
    expect(error?.name).toBe('_error');
    expect(readInfo(error?.args[0]).code).toBe('NetConnection.Connect.InvalidApp');
    expect(bench.logs).toEqual([{ level: 'warn', text: 'RTMP client refused', reason: 'unknown application' }]);
  });

  test('must come first, and once', () => {
    const early = createBench();
    early.shakeHands();
    early.send(publish('key'));
    expect(early.logs.at(-1)?.reason).toBe('command publish before connect');
    const twice = createBench();
    twice.open();
    twice.send(commandMessage(0, 'connect', 2, { app: 'live' }));
    expect(twice.logs.at(-1)?.reason).toBe('connect sent twice');
  });

  test('is followed by the small commands that clients send', () => {
    const bench = createBench();
    bench.open();
    bench.send(
      commandMessage(0, 'releaseStream', 2, null, 'key'),
      commandMessage(0, 'FCPublish', 3, null, 'key'),
      commandMessage(0, 'createStream', 4, null),
      commandMessage(0, 'getStreamLength', 5, null, 'key'),
      commandMessage(0, '_checkbw', 6, null),
      commandMessage(0, 'FCSubscribe', 7, null, 'key'),
      commandMessage(0, 'someFutureCommand', 8, null),
    );
    const answers = bench.commands().slice(1);
    expect(answers.map(({ name, transaction, args }) => [name, transaction, args[0]])).toEqual([
      ['_result', 2, null],
      ['onFCPublish', 0, undefined],
      ['_result', 4, 1],
      ['_result', 5, 0],
      ['_result', 6, null],
      ['onFCSubscribe', 0, undefined],
    ]);
    expect(bench.socket.ended).toBe('');
  });
});

describe('a publisher', () => {
  test('is checked with its key, after its name is cleaned, and receives the start status', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('secret?x=y'));
    expect(bench.keys).toEqual(['secret']);
    expect(bench.client()).toMatchObject({ peer: '192.0.2.1:5000', encoder: 'test er' });
    expect(readInfo(bench.commands().at(-1)?.args[0]).code).toBe('NetStream.Publish.Start');
    expect(JSON.stringify(bench.logs)).not.toContain('secret');
  });

  test('may send its key in the application', () => {
    const bench = createBench();
    bench.open('live/secret');
    bench.send(publish(''));
    expect(bench.keys).toEqual(['secret']);
  });

  test('fills the bus, one unit per read', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    bench.send(mediaBytes(video(0), video(33, 0x27)));
    expect(bench.bus.ring.next).toBe(1);
    expect(bench.bus.ring.at(0)?.messages).toHaveLength(2);
    expect(bench.client()?.stats().bytesIn).toBeGreaterThan(3073);
  });

  test('is read again once its messages can be whole, until its stream ends', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    expect(bench.marks).toEqual([]);
    const picture = mediaBytes({ ...video(0), payload: new Uint8Array(1000).fill(0x17) });
    bench.send(picture.subarray(0, 100));
    bench.send(picture.subarray(100));
    expect(bench.marks).toEqual([picture.length - 100, 256]);
    bench.send(commandMessage(0, 'deleteStream', 4, null, 1));
    expect(bench.marks.slice(2)).toEqual([1]);
  });

  test('that is refused receives the reason, is ignored, and is disconnected soon', () => {
    const bench = createBench({ publish: badName });
    bench.open();
    bench.send(publish('key'), mediaBytes(video(0)));
    const status = readInfo(bench.commands().at(-1)?.args[0]);
    expect(status).toEqual({ level: 'error', code: 'NetStream.Publish.BadName', description: 'busy' });
    bench.pass(999);
    expect(bench.socket.ended).toBe('');
    bench.pass(1);
    expect(bench.socket.ended).toBe('end');
  });

  test('without a key is refused without asking the engine', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish(''));
    expect(bench.keys).toEqual([]);
    expect(readInfo(bench.commands().at(-1)?.args[0]).code).toBe('NetStream.Publish.BadName');
  });

  test('may send messages far larger than an unknown client may', () => {
    const bench = createBench();
    bench.open();
    const big = encodeMessages([{ ...video(0), payload: new Uint8Array(200_000).fill(0x17) }], 1, 128);
    bench.send(publish('key'));
    bench.send(big);
    expect(bench.socket.ended).toBe('');
    const stranger = createBench();
    stranger.open();
    stranger.send(big);
    expect(stranger.logs.at(-1)?.reason).toBe('message of 200000 bytes (limit 65536)');
  });

  test('ends cleanly, and may publish again', () => {
    for (const goodbye of [
      commandMessage(0, 'FCUnpublish', 4, null, 'key'),
      commandMessage(0, 'deleteStream', 5, null, 1),
    ]) {
      const bench = createBench();
      bench.open();
      bench.send(publish('key'));
      bench.send(goodbye);
      expect(bench.events).toEqual(['publisher closed: stopped by the client']);
      bench.send(publish('key'));
      expect(bench.keys).toEqual(['key', 'key']);
    }
  });

  test('that vanishes closes its sink once, with the reason', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    bench.session.closed(new Error('ECONNRESET'));
    bench.session.closed(undefined);
    expect(bench.events).toEqual(['publisher closed: connection lost: ECONNRESET']);
  });

  test('that goes silent in mid-packet is dropped after 15 s', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    bench.send(mediaBytes(video(0)).subarray(0, 15));
    bench.pass(14_999);
    expect(bench.events).toEqual([]);
    bench.pass(1);
    expect(bench.events).toEqual(['publisher closed: sent nothing for 15 s']);
    expect(bench.socket.ended).toBe('end');
  });

  test('is closed by the engine with its reason', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    bench.client()?.close('channel switched off');
    expect(bench.events).toEqual(['publisher closed: channel switched off']);
    expect(bench.socket.ended).toBe('end');
  });

  test('that sends an AMF bomb continues without it', () => {
    const bench = createBench();
    bench.open();
    bench.send(publish('key'));
    const bomb = Buffer.concat([encodeAmf('@setDataFrame', 'onMetaData'), Buffer.from('03000161'.repeat(50), 'hex')]);
    bench.send(encodeMessages([{ type: 18, timestamp: 0, payload: bomb }], 1, 128));
    expect(bench.events).toEqual([]);
    expect(bench.logs.at(-1)).toMatchObject({
      level: 'warn',
      text: 'RTMP data message dropped',
      reason: 'AMF nested deeper than 16',
    });
  });
});

describe('a connection', () => {
  test('that speaks HTTP ends at once with that reason', () => {
    const bench = createBench();
    bench.session.receive(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    expect(bench.socket.ended).toBe('end');
    expect(bench.logs).toEqual([
      { level: 'warn', text: 'RTMP connection ended', reason: 'not RTMP: HTTP or other text' },
    ]);
  });

  test('with half a handshake ends after five seconds', () => {
    const bench = createBench();
    bench.session.receive(Buffer.concat([Buffer.of(3), Buffer.alloc(800)]));
    bench.pass(4999);
    expect(bench.socket.ended).toBe('');
    bench.pass(1);
    expect(bench.logs.at(-1)?.reason).toBe('handshake not finished in time');
  });

  test('that neither publishes nor plays ends after ten seconds', () => {
    const bench = createBench();
    bench.open();
    bench.pass(9999);
    expect(bench.socket.ended).toBe('');
    bench.pass(1);
    expect(bench.logs.at(-1)?.reason).toBe('neither published nor played in time');
  });

  test('with a chunk size of 0 ends with that reason', () => {
    const bench = createBench();
    bench.open();
    bench.send(uint32Message(1, 0));
    expect(bench.logs.at(-1)).toMatchObject({ level: 'warn', reason: 'chunk size of 0 bytes' });
  });

  test('with an AMF bomb as a command ends with that reason', () => {
    const bench = createBench();
    bench.shakeHands();
    const bomb = Buffer.concat([encodeAmf('connect', 1), Buffer.from('0a00000001'.repeat(1000), 'hex')]);
    bench.send(encodeMessages([{ type: 20, timestamp: 0, payload: bomb }], 0, 128));
    expect(bench.logs.at(-1)?.reason).toBe('AMF nested deeper than 16');
  });

  test('that asks for pings without reading the answers ends, with bounded memory', () => {
    const bench = createBench();
    bench.open();
    bench.socket.room = 0;
    const pings = Buffer.concat(Array.from({ length: 200 }, () => userControlMessage(6, 1)));
    for (let i = 0; i < 50 && !bench.socket.ended; i++) bench.send(pings);
    expect(bench.logs.at(-1)?.reason).toBe('peer does not read what we answer');
    expect(bench.socket.ended).toBe('terminate');
  });

  test('has its pings answered and its bytes acknowledged', () => {
    const bench = createBench();
    bench.open();
    bench.send(userControlMessage(6, 0x01020304), uint32Message(5, 5000));
    expect(Buffer.from(bench.received().at(-1)?.payload ?? []).toString('hex')).toBe('000701020304');
    bench.send(publish('key'));
    bench.send(encodeMessages([{ ...video(0), payload: new Uint8Array(6000).fill(0x17) }], 1, 128));
    const acknowledgement = bench.received().findLast(({ type }) => type === 3);
    const bytes = Buffer.from(acknowledgement?.payload ?? []).readUInt32BE(0);
    expect(bytes).toBe(bench.session.stats().bytesIn);
  });

  test('whose engine hook throws ends, and the error is logged as an internal one', () => {
    const bench = createBench();
    bench.open();
    Object.defineProperty(bench.bus, 'ring', {
      get: () => {
        throw new Error('broken');
      },
    });
    bench.send(play('key'));
    expect(bench.logs.at(-1)).toMatchObject({ level: 'error', reason: 'internal error: broken' });
    expect(bench.events).toEqual(['player closed: internal error: broken']);
  });
});

describe('at an address with many wrong keys', () => {
  test('a key is checked after the wait, and a right one is accepted', async () => {
    const bench = createBench({ keyWait: () => 20 });
    bench.open();
    bench.send(publish('key'));
    expect([bench.keys, bench.session.idleSince]).toEqual([[], undefined]);
    await until(() => bench.keys.length === 1, 5000, 'the key is looked at');
    expect(bench.commands().map(({ args }) => readInfo(args[0]).code)).toContain('NetStream.Publish.Start');
  });

  test('an attempt that would wait too long is refused without checking the key', () => {
    const bench = createBench({ keyWait: () => undefined });
    bench.open();
    bench.send(play('key'));
    expect(bench.keys).toEqual([]);
    const last = readInfo(bench.commands().at(-1)?.args[0]);
    expect(last.code).toBe('NetStream.Play.StreamNotFound');
    expect(bench.logs.at(-1)?.text).toBe('RTMP client refused');
  });

  test('a client that leaves while it waits opens nothing', async () => {
    const [bench, other] = [createBench({ keyWait: () => 20 }), createBench({ keyWait: () => 20 })];
    for (const one of [bench, other]) {
      one.open();
      one.send(publish('key'));
    }
    bench.session.closed(undefined);
    // Its wait starts after that of the one that left.
    await until(() => other.keys.length === 1, 5000, 'the key of the other is looked at');
    expect(bench.keys).toEqual([]);
  });
});
