/** The facts shown about real streams, compared with how they were made. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import { createTsBus } from './ts-bus.ts';
import { createTsSink, type TsSink } from './ts-sink.ts';

const picture = (size: string, rate = '25') => ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=1`];
const tone = (rate = 48_000) => ['-f', 'lavfi', '-i', `sine=sample_rate=${rate}:duration=1`];
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '12'];
const make = (...args: string[]) => readFileSync(clip(args, 'ts'));

function send(sink: TsSink, bytes: Uint8Array): TsSink {
  for (let at = 0; at < bytes.length; at += 1316) sink.write(bytes.subarray(at, at + 1316));
  return sink;
}

const open = () => createTsSink(createTsBus());
const factsOf = (...args: string[]) => send(open(), make(...args)).media;

describe('the video', () => {
  const x265 = (params: string) => [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    `log-level=none${params}`,
  ];
  test.each([
    ['HEVC', '30000/1001', x265(''), { codec: 'hevc', width: 320, height: 192, fps: 29.97 }],
    ['HEVC with B pictures', '50', x265(':bframes=4:b-pyramid=1:ref=5'), { codec: 'hevc', fps: 50 }],
    ['HEVC with scaling lists', '25', x265(':scaling-list=default'), { codec: 'hevc', fps: 25 }],
    ['HEVC in fields', '50', x265(':interlace=tff'), { codec: 'hevc', interlaced: true }],
    ['H.264 in fields', '25', [...x264, '-x264-params', 'tff=1'], { codec: 'h264', fps: 25, interlaced: true }],
    ['MPEG-2', '50', ['-c:v', 'mpeg2video'], { codec: 'mpeg2video', width: 320, height: 192, fps: 50 }],
    [
      'MPEG-2 in fields',
      '25',
      ['-c:v', 'mpeg2video', '-flags', '+ildct+ilme'],
      { codec: 'mpeg2video', interlaced: true },
    ],
  ])('of %s is known with its rate', (_, rate, codec, expected) => {
    expect(factsOf(...picture('320x192', rate), ...codec)?.video).toMatchObject(expected);
  });

  test('of progressive frames is not reported as interlaced', () => {
    for (const codec of [x264, x265(''), ['-c:v', 'mpeg2video']]) {
      expect(factsOf(...picture('320x192'), ...codec)?.video).not.toHaveProperty('interlaced');
    }
  });

  test.each([
    ['H.264', x264],
    ['HEVC', x265(':keyint=12')],
    ['MPEG-2', ['-c:v', 'mpeg2video']],
  ])('of %s may change its size', (_, codec) => {
    const sink = send(open(), make(...picture('320x192'), ...codec));
    expect(sink.media?.video).toMatchObject({ width: 320, height: 192, fps: 25 });
    send(sink, make(...picture('640x352', '50'), ...codec));
    expect(sink.media?.video).toMatchObject({ width: 640, height: 352, fps: 50 });
  });
});

describe('the audio', () => {
  test.each([
    ['AAC', ['-c:a', 'aac'], 44_100, { codec: 'aac', sampleRate: 44_100, channels: 1 }],
    ['MP2', ['-c:a', 'mp2', '-ac', '2'], 48_000, { codec: 'mp2', sampleRate: 48_000, channels: 2 }],
    ['MP2 of MPEG-2', ['-c:a', 'mp2'], 22_050, { codec: 'mp2', sampleRate: 22_050, channels: 1 }],
    ['MP3', ['-c:a', 'libmp3lame', '-ac', '2'], 44_100, { codec: 'mp3', sampleRate: 44_100, channels: 2 }],
    ['AC-3', ['-c:a', 'ac3', '-ac', '2'], 48_000, { codec: 'ac3', sampleRate: 48_000, channels: 2 }],
    ['AC-3 in one channel', ['-c:a', 'ac3'], 32_000, { codec: 'ac3', sampleRate: 32_000, channels: 1 }],
    ['AC-3 in 5.1', ['-c:a', 'ac3', '-ac', '6'], 48_000, { codec: 'ac3', sampleRate: 48_000, channels: 6 }],
    ['E-AC-3 in 5.1', ['-c:a', 'eac3', '-ac', '6'], 48_000, { codec: 'eac3', sampleRate: 48_000, channels: 6 }],
  ])('of %s is known with rate and channels', (_, codec, rate, expected) => {
    expect(factsOf(...picture('320x192'), ...tone(rate), ...x264, ...codec)?.audio).toEqual(expected);
    // Also on its own.
    expect(factsOf(...tone(rate), ...codec)?.audio).toEqual(expected);
  });

  test('may change its channels', () => {
    const sink = send(open(), make(...picture('320x192'), ...tone(), ...x264, '-c:a', 'aac'));
    expect(sink.media?.audio).toMatchObject({ channels: 1 });
    send(sink, make(...picture('320x192'), ...tone(), ...x264, '-c:a', 'aac', '-ac', '2'));
    expect(sink.media?.audio).toMatchObject({ channels: 2 });
  });
});

describe('additional tracks and programs', () => {
  const languages = ['-metadata:s:a:0', 'language=deu', '-metadata:s:a:1', 'language=fra'];
  const streams = [...picture('320x192'), ...tone(), ...tone(44_100)];
  const maps = ['-map', '0', '-map', '1', '-map', '2'];

  test('are not listed for one video and one audio track', () => {
    const media = factsOf(...picture('320x192'), ...tone(), ...x264, '-c:a', 'aac', '-metadata:s:a:0', 'language=deu');
    expect(media?.audio).toMatchObject({ language: 'deu' });
    expect(media).not.toHaveProperty('tracks');
    expect(media).not.toHaveProperty('programs');
  });

  test('include the other tracks of the program, with their languages', () => {
    const codecs = ['-c:a:0', 'libmp3lame', '-c:a:1', 'aac'];
    expect(factsOf(...streams, ...maps, ...x264, ...codecs, ...languages)).toMatchObject({
      audio: { codec: 'mp3', language: 'deu' },
      tracks: [
        { kind: 'video', codec: 'h264' },
        { kind: 'audio', codec: 'mp3', language: 'deu' },
        { kind: 'audio', codec: 'aac', language: 'fra' },
      ],
    });
  });

  test('include the other programs', () => {
    const programs = ['-program', 'program_num=1:st=0:st=1', '-program', 'program_num=2:st=2'];
    expect(factsOf(...streams, ...maps, ...x264, '-c:a', 'aac', ...programs)).toMatchObject({
      video: { codec: 'h264' },
      programs: 2,
    });
  });
});
