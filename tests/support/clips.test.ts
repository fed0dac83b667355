import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clip, looped, type Recipe } from './clips.ts';

const folder = mkdtempSync(join(tmpdir(), 'sb-clips-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packet {
  readonly codec_type: 'video' | 'audio';
  readonly dts: number;
  readonly flags: string;
}

/** Returns the packets of three loops of the clip as a publisher sends them, but not in real time. */
async function rounds(recipe: Recipe, format: 'mpegts' | 'flv'): Promise<Packet[]> {
  const file = join(folder, `rounds.${format}`);
  const input = looped(recipe).filter((word) => word !== '-re');
  const made = Bun.spawnSync(['ffmpeg', '-nostdin', '-v', 'error', '-y', ...input, '-t', '26', '-f', format, file]);
  expect(made.stderr.toString()).toBe('');
  const show = ['-of', 'json', '-show_entries', 'packet=codec_type,dts,flags'];
  const { packets } = await new Response(Bun.spawn(['ffprobe', '-v', 'error', ...show, file]).stdout).json();
  return packets;
}

const picture = { size: '320x180', kbps: 400 } as const;
const camera = ['libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '75'];
const recipes: readonly [string, 'mpegts' | 'flv', Recipe][] = [
  ['H.264 and AAC', 'mpegts', { pictures: picture, sound: {} }],
  ['H.264 and AAC', 'flv', { pictures: picture, sound: {} }],
  ['H.264 and AAC at 44.1 kHz', 'flv', { pictures: picture, sound: { sampleRate: 44_100 } }],
  ['B-frames in long groups', 'mpegts', { pictures: { ...picture, encoder: camera }, sound: { sampleRate: 44_100 } }],
  ['HEVC and AAC', 'mpegts', { pictures: { ...picture, codec: 'hevc' }, sound: { kbps: 64 } }],
  ['MP3', 'flv', { pictures: picture, sound: { codec: 'libmp3lame' } }],
  ['MP3 at 44.1 kHz', 'flv', { pictures: picture, sound: { codec: 'libmp3lame', sampleRate: 44_100 } }],
  ['MP2', 'mpegts', { pictures: picture, sound: { codec: 'mp2' } }],
  ['Opus', 'mpegts', { pictures: picture, sound: { codec: 'libopus' } }],
  ['AC-3', 'mpegts', { pictures: picture, sound: { codec: 'ac3' } }],
  ['video only', 'flv', { pictures: picture }],
];

test.each(recipes)('%s in %s starts with a keyframe and loops at an even pace', async (_, format, recipe) => {
  const packets = await rounds(recipe, format);
  for (const kind of ['video', 'audio'] as const) {
    const own = packets.filter(({ codec_type }) => codec_type === kind);
    if (own.length === 0) continue;
    const steps = own.slice(1).map(({ dts }, at) => dts - (own[at]?.dts ?? 0));
    // Steps may differ by one tick: the frame duration is not always a whole number of ticks.
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1);
  }
  const pictures = packets.filter(({ codec_type }) => codec_type === 'video');
  expect(pictures[0]?.flags).toStartWith('K');
  expect(pictures.length).toBeGreaterThanOrEqual(26 * 25);
});

test('a clip is encoded once, and an FFmpeg failure throws', () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc', '-t', '0.1'];
  const made = clip(silence, 'wav');
  expect(clip(silence, 'wav')).toBe(made);
  expect(existsSync(made)).toBe(true);
  expect(() => clip(['-i', join(folder, 'missing')], 'wav')).toThrow('No such file');
});
