import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import { FlvFileError, FlvFileReader, flvFileHeader, flvTags } from './file-for-test.ts';
import { createFlvBus, type FlvMessage } from './flv-bus.ts';
import { createFlvSink } from './flv-sink.ts';

const message = (type: 8 | 9 | 18, timestamp: number, ...bytes: number[]): FlvMessage => ({
  type,
  timestamp,
  payload: Uint8Array.from(bytes),
});
const sample = [
  message(18, 0, 2, 0, 1, 65),
  message(9, 0, 0x17, 0, 0, 0, 0),
  message(8, 0xffffff, 0xaf, 1),
  message(9, 0x81020304, 0x27, 1, 0, 0, 0, 9, 9),
  message(8, 5),
];

function read(stream: Uint8Array, cut: number): FlvMessage[] {
  const got: FlvMessage[] = [];
  const reader = new FlvFileReader((one) => got.push({ ...one, payload: Uint8Array.from(one.payload) }));
  for (let at = 0; at < stream.length; at += cut) reader.feed(stream.subarray(at, at + cut));
  return got;
}

describe('an FLV stream', () => {
  const stream = Buffer.concat([flvFileHeader({ video: true, audio: true }), flvTags(sample)]);

  test('survives a round trip, however it is cut', () => {
    for (const cut of [1, 2, 3, 7, 11, 16, stream.length]) expect(read(stream, cut)).toEqual(sample);
  });

  test('has the layout of the specification', () => {
    expect(flvFileHeader({ video: true, audio: false }).join()).toBe('70,76,86,1,1,0,0,0,9,0,0,0,0');
    expect([...flvTags([message(9, 0x81020304, 7)])]).toEqual([9, 0, 0, 1, 2, 3, 4, 0x81, 0, 0, 0, 7, 0, 0, 0, 12]);
  });

  test('may have a longer file header', () => {
    const longer = Buffer.concat([Buffer.from([70, 76, 86, 1, 5, 0, 0, 0, 12, 1, 2, 3, 0, 0, 0, 0]), flvTags(sample)]);
    expect(read(longer, 5)).toEqual(sample);
  });

  test('yields payloads that do not share the input buffer', () => {
    const input = Buffer.from(stream);
    const got: FlvMessage[] = [];
    new FlvFileReader((one) => got.push(one)).feed(input);
    input.fill(0xee);
    expect(got.map(({ payload }) => [...payload])).toEqual(sample.map(({ payload }) => [...payload]));
  });
});

describe('a stream that is not FLV', () => {
  const feed = (...bytes: number[]) => new FlvFileReader(() => {}).feed(Uint8Array.from(bytes));
  const header = [...flvFileHeader({ video: true, audio: true })];

  test('is refused at the file header', () => {
    expect(() => feed(...Buffer.from('GET / HTTP/1.1'))).toThrow(FlvFileError);
    expect(() => feed(70, 76, 86, 1, 5, 0x7f, 0, 0, 0)).toThrow('file header of');
    expect(() => feed(70, 76, 86, 1, 5, 0, 0, 0, 3)).toThrow('file header of 3 bytes');
  });

  test('is refused at a tag of unknown type or absurd size', () => {
    expect(() => feed(...header, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).toThrow('unknown type 3');
    expect(() => feed(...header, 9, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0)).toThrow('16777215 bytes');
  });
});

test('files written by ffmpeg are read, and ffmpeg reads what is written here', async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', '-t', '1'];
  const messages: FlvMessage[] = [];
  const reader = new FlvFileReader((one) => messages.push(one));
  reader.feed(readFileSync(clip([...source, ...coding], 'flv')));
  const sink = createFlvSink(createFlvBus());
  for (const one of messages) sink.message(one);
  expect(sink.counters).toMatchObject({ videoFrames: 25, keyframes: 1 });
  expect(sink.media).toMatchObject({ video: { width: 320, height: 180 }, audio: { sampleRate: 48_000, channels: 1 } });

  const stream = Buffer.concat([flvFileHeader({ video: true, audio: true }), flvTags(messages)]);
  const check = ['-count_packets', '-select_streams', 'v', '-show_entries', 'stream=codec_name,width,nb_read_packets'];
  const probe = Bun.spawn(['ffprobe', '-v', 'error', ...check, '-of', 'csv=p=0', '-'], {
    stdin: stream,
    timeout: 20_000,
  });
  expect((await new Response(probe.stdout).text()).trim()).toBe('h264,320,25');
}, 20_000);
