import { describe, expect, test } from 'bun:test';
import type { Cursor } from '../bus/bus.ts';
import { encodeAmf } from './amf0.ts';
import { createFlvBus, type FlvMessage, type FlvUnit, messageType } from './flv-bus.ts';
import { createFlvSink, type FlvSink } from './flv-sink.ts';

const avcConfig = '0164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800';
const avcHeader = Buffer.from(`1700000000${avcConfig}`, 'hex');
const aacHeader = Buffer.from('af001190', 'hex');

const tags = {
  metadata: (timestamp: number, values: Record<string, number>): FlvMessage => ({
    type: messageType.data,
    timestamp,
    payload: encodeAmf('@setDataFrame', 'onMetaData', values),
  }),
  videoHeader: (timestamp = 0): FlvMessage => ({ type: messageType.video, timestamp, payload: avcHeader }),
  audioHeader: (timestamp = 0): FlvMessage => ({ type: messageType.audio, timestamp, payload: aacHeader }),
  key: (timestamp: number): FlvMessage => ({
    type: messageType.video,
    timestamp,
    payload: Uint8Array.of(0x17, 1, 0, 0, 0, 1),
  }),
  inter: (timestamp: number): FlvMessage => ({
    type: messageType.video,
    timestamp,
    payload: Uint8Array.of(0x27, 1, 0, 0, 0, 2),
  }),
  audio: (timestamp: number): FlvMessage => ({
    type: messageType.audio,
    timestamp,
    payload: Uint8Array.of(0xaf, 1, 3),
  }),
};

function createBench() {
  let clock = 0;
  const bus = createFlvBus(undefined, () => clock);
  let wakes = 0;
  const units: FlvUnit[] = [];
  const cursor = bus.ring.subscribe(() => {
    wakes++;
    units.push(...takeUnits(cursor));
  });
  const batch = (sink: FlvSink, ...messages: FlvMessage[]): void => {
    for (const message of messages) sink.message(message);
    sink.flush();
  };
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { bus, units, batch, pass, wakes: () => wakes };
}

function takeUnits(cursor: Cursor<FlvUnit>): FlvUnit[] {
  const units: FlvUnit[] = [];
  for (let unit = cursor.take(); unit; unit = cursor.take()) units.push(unit);
  return units;
}

/** Short names of messages, for comparing their order. */
function names(units: readonly FlvUnit[]): string[] {
  const name = ({ type, timestamp, payload }: FlvMessage): string => {
    if (type === messageType.data) return `meta@${timestamp}`;
    const isHeader = payload[1] === 0;
    if (type === messageType.audio) return `${isHeader ? 'audioHeader' : 'audio'}@${timestamp}`;
    return `${isHeader ? 'videoHeader' : payload[0] === 0x17 ? 'key' : 'inter'}@${timestamp}`;
  };
  return units.map((unit) => `${unit.entryPoint ? '*' : ''}${unit.messages.map(name).join(' ')}`);
}

describe('units', () => {
  test('are one per batch, and a key frame starts a new one', () => {
    const { bus, units, batch, wakes } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.audioHeader(), tags.key(0), tags.audio(0));
    batch(sink, tags.inter(33), tags.audio(21), tags.key(66), tags.inter(99));
    batch(sink);
    expect(names(units)).toEqual(['*key@0 audio@0', 'inter@33 audio@21', '*key@66 inter@99']);
    expect(wakes()).toBe(2);
  });

  test('carry header changes in place for active players', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.key(0));
    batch(sink, tags.inter(33), tags.videoHeader(66), tags.key(66));
    expect(names(units)).toEqual(['*key@0', 'inter@33 videoHeader@66', '*key@66']);
  });

  test('of a video session never start before its first key frame', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.inter(0), tags.inter(33));
    batch(sink, tags.inter(66), tags.key(99), tags.inter(132));
    expect(names(units)).toEqual(['*key@99 inter@132']);
    expect(sink.counters).toMatchObject({ droppedFrames: 3, videoFrames: 5, keyframes: 1 });
  });

  test('are random access points after two seconds without video', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.audioHeader());
    for (let at = 0; at <= 2000; at += 20) batch(sink, tags.audio(at));
    expect(bus.ring.newestEntry).toBe(-1);
    batch(sink, tags.audio(2020));
    expect(names(takeUnits(bus.ring.subscribe(() => {})))).toEqual(['*audio@2020']);
  });

  test('of audio beside video are not random access points', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.key(0));
    for (let at = 0; at < 6000; at += 500) batch(sink, tags.inter(at));
    batch(sink, tags.audio(6000));
    expect(bus.ring.newestEntry).toBe(0);
  });
});

describe('headers', () => {
  test('are kept for new players, metadata without @setDataFrame and without a time', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.metadata(40, { width: 640 }), tags.videoHeader(), tags.audioHeader());
    expect(bus.headers.metadata).toEqual({
      type: messageType.data,
      timestamp: 0,
      payload: expect.anything(),
    });
    expect(Buffer.from(bus.headers.metadata?.payload ?? [])).toEqual(
      Buffer.from(encodeAmf('onMetaData', { width: 640 })),
    );
    expect(bus.headers.video?.payload).toBe(avcHeader);
    expect(bus.headers.audio?.payload).toBe(aacHeader);
  });

  test('change identity only when one of them changes', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.key(0));
    const before = bus.headers;
    batch(sink, { ...tags.videoHeader(33), payload: Buffer.from(avcHeader) }, tags.key(33));
    expect(bus.headers).toBe(before);
    batch(sink, { ...tags.videoHeader(66), payload: Buffer.from('17000000000142', 'hex') });
    expect(bus.headers).not.toBe(before);
  });

  test('are stored with each random access point as they were at its time', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.key(0), tags.audioHeader());
    const other = Buffer.from('17000000000142', 'hex');
    batch(sink, { ...tags.videoHeader(33), payload: other }, tags.key(33));
    const [first, , second] = units;
    expect(first?.headers?.video?.payload).toBe(avcHeader);
    expect(first?.headers?.audio).toBeUndefined();
    expect(second?.headers?.video?.payload).toBe(other);
    expect(second?.headers?.audio?.payload).toBe(aacHeader);
  });

  test('of a new session replace those of the previous one', () => {
    const { bus, batch } = createBench();
    const first = createFlvSink(bus);
    batch(first, tags.videoHeader(), tags.audioHeader(), tags.key(0));
    first.close('gone');
    const second = createFlvSink(bus);
    batch(second, tags.videoHeader(), tags.key(0));
    expect(bus.headers.audio).toBeUndefined();
  });

  test('of further tracks are kept one per track', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    const track = (id: number, value: number): FlvMessage => ({
      type: messageType.video,
      timestamp: 0,
      payload: Uint8Array.of(0x96, 0x00, ...Buffer.from('hvc1'), id, value),
    });
    batch(sink, track(1, 5), track(2, 6), track(1, 7));
    expect(bus.headers.tracks?.map(({ payload }) => [payload[6], payload[7]])).toEqual([
      [2, 6],
      [1, 7],
    ]);
    for (let id = 3; id < 200; id++) batch(sink, track(id, 0));
    expect(bus.headers.tracks).toHaveLength(16);
  });
});

describe('sessions', () => {
  test('follow each other on one timeline', () => {
    const { bus, units, batch, pass } = createBench();
    const first = createFlvSink(bus);
    batch(first, tags.videoHeader(), tags.key(5000), tags.inter(5033));
    first.close('gone');
    pass(2000);
    const second = createFlvSink(bus);
    batch(second, tags.videoHeader(0), tags.audioHeader(0), tags.key(0), tags.audio(10));
    expect(names(units)).toEqual(['*key@5000 inter@5033', 'videoHeader@7033 audioHeader@7033', '*key@7033 audio@7043']);
  });

  test('leave nothing behind for a fast start, but readers get all pushed units', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.key(0));
    sink.message(tags.inter(33));
    sink.close('gone');
    expect(names(units)).toEqual(['*key@0', 'inter@33']);
    expect(takeUnits(bus.ring.subscribe(() => {}))).toEqual([]);
  });

  test('accept nothing after they ended', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    sink.close('gone');
    batch(sink, tags.key(0));
    expect(units).toEqual([]);
  });
});

describe('media info', () => {
  test('is read from the decoder configurations', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    expect(sink.media).toBeUndefined();
    batch(sink, tags.videoHeader(), tags.audioHeader());
    expect(sink.media).toEqual({
      container: 'flv',
      video: { codec: 'h264', width: 320, height: 180, fps: 25 },
      audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
    });
  });

  test('takes from the metadata what the configuration does not contain', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, {
      type: messageType.video,
      timestamp: 0,
      payload: Buffer.concat([Uint8Array.of(0x90), Buffer.from('av01'), Uint8Array.of(0x81, 0)]),
    });
    expect(sink.media?.video).toEqual({ codec: 'av1' });
    batch(sink, tags.metadata(0, { width: 3840, height: 2160, framerate: 59.94 }));
    expect(sink.media?.video).toEqual({ codec: 'av1', width: 3840, height: 2160, fps: 59.94 });
  });

  test('of audio without a configuration comes from its first byte', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, { type: messageType.audio, timestamp: 0, payload: Uint8Array.of(0x2f, 0xff, 0xfb) });
    expect(sink.media?.audio).toEqual({ codec: 'mp3', sampleRate: 44_100, channels: 2 });
  });

  test('counts received frames', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    const empty: FlvMessage = { type: messageType.audio, timestamp: 0, payload: new Uint8Array(0) };
    batch(sink, tags.key(0), tags.inter(33), tags.audio(0), empty);
    expect(sink.counters).toEqual({
      bytes: 15,
      videoFrames: 2,
      keyframes: 1,
      audioFrames: 1,
      droppedFrames: 0,
      malformed: 1,
    });
  });
});

describe('the picture size', () => {
  const sps = { large: '6742c028da01e0089f970110000003001000000303c0f1832a', small: avcConfig.slice(16, 16 + 52) };
  /** A key frame with a parameter set in it. */
  const keyWith = (timestamp: number, set: string): FlvMessage => {
    const unit = Buffer.from(set, 'hex');
    const delimiter = [0, 0, 0, 2, 9, 0xf0];
    const payload = Uint8Array.of(0x17, 1, 0, 0, 0, ...delimiter, 0, 0, 0, unit.length, ...unit, 0, 0, 0, 1, 0x65);
    return { type: messageType.video, timestamp, payload };
  };

  test('follows the sequence header and the parameter sets of key frames', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    const size = () => [sink.media?.video?.width, sink.media?.video?.height];
    batch(sink, tags.videoHeader(), tags.key(0));
    expect(size()).toEqual([320, 180]);
    batch(sink, keyWith(40, sps.large));
    expect(size()).toEqual([1920, 1080]);
    batch(sink, keyWith(80, sps.small));
    expect(size()).toEqual([320, 180]);
    batch(sink, keyWith(120, sps.large), tags.videoHeader(160));
    expect(size()).toEqual([320, 180]);
  });
});

test('a sink continues after messages that it did not get, with their numbers and times', () => {
  const { bus, units, batch, pass } = createBench();
  const sink = createFlvSink(bus);
  batch(sink, tags.videoHeader(), tags.audioHeader(), tags.key(5000), tags.audio(5010));
  const { messages } = bus;
  units.length = 0;
  sink.report({ bytes: 900, video: 200, audio: 300 });
  expect([sink.bytes, sink.arrivals]).toEqual([900, { video: 200, audio: 300 }]);
  pass(1000);
  sink.skip(messages + 490, { bytes: 800, video: 190, audio: 290 }, { video: 25_000, audio: 25_010 });
  expect(sink.bytes).toBe(900);
  expect([bus.ring.heldBytes, bus.ring.newestEntry]).toEqual([0, -1]);
  // Sound long after the last picture that came here is no place to start.
  batch(sink, tags.audio(25_030));
  batch(sink, tags.key(25_040), tags.audio(25_050));
  expect(units).toMatchObject([{ entryPoint: true, index: messages + 491 }]);
  expect(units[0]?.messages.map(({ timestamp }) => timestamp)).toEqual([25_040, 25_050]);
  expect(sink.arrivals).toEqual({ video: 200, audio: 300 });
  // The same group once more: nothing is missing.
  sink.skip(bus.messages, { bytes: 810, video: 191, audio: 292 }, { video: 25_040, audio: 25_050 });
  expect(bus.ring.newestEntry).toBeGreaterThanOrEqual(0);
});

describe('the tracks of a sink are steady', () => {
  const mapping = { timestamp: 40, offset: 0 };
  const headers = [
    { type: messageType.video, body: avcHeader.toString('hex') },
    { type: messageType.audio, body: aacHeader.toString('hex') },
  ];

  test('once frames have reached the bus, with their format', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    expect(sink.steadyTracks).toBeUndefined();
    batch(sink, tags.videoHeader(), tags.audioHeader());
    expect(sink.steadyTracks).toBeUndefined();
    batch(sink, tags.inter(0));
    expect(sink.steadyTracks).toBeUndefined();
    batch(sink, tags.key(40));
    expect(sink.steadyTracks).toEqual({ video: { format: 7, ...mapping }, headers });
    sink.message(tags.audio(40));
    expect(sink.steadyTracks).toBeUndefined();
    sink.flush();
    expect(sink.steadyTracks).toEqual({
      ...{ video: { format: 7, ...mapping }, audio: { format: 10, ...mapping }, headers },
    });
    batch(sink, tags.audio(39));
    expect(sink.steadyTracks).toBeUndefined();
    sink.close('over');
    expect(sink.steadyTracks).toBeUndefined();
  });

  test('if there is only audio, too, but not for frames of several tracks', () => {
    const { bus, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.audioHeader(), tags.audio(40));
    expect(sink.steadyTracks).toEqual({ audio: { format: 10, ...mapping }, headers: headers.slice(1) });
    const tracks = Buffer.from('\x96\x01avc1\x00....', 'latin1');
    batch(sink, { type: messageType.video, timestamp: 40, payload: Buffer.concat([Buffer.of(0x90 | 6), tracks]) });
    expect(sink.steadyTracks?.video).toBeUndefined();
  });

  test('messages of the bus are counted', () => {
    const { bus, units, batch } = createBench();
    const sink = createFlvSink(bus);
    batch(sink, tags.videoHeader(), tags.key(0), tags.audio(0), tags.key(40));
    batch(sink, tags.inter(80));
    expect(units.map(({ index, messages }) => [index, messages.length])).toEqual([
      [3, 1],
      [4, 1],
    ]);
    expect(bus.messages).toBe(5);
  });
});
