/** Real clips through a real FFmpeg: which pictures are shown, and what happens to an FFmpeg that fails. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clip } from '../../../tests/support/clips.ts';
import { createFlvBus } from '../flv/flv-bus.ts';
import { createTsBus } from '../mpegts/ts-bus.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import { ffmpeg, run } from '../remux/clips-for-test.ts';
import { startTsToFlv } from '../remux/ts-to-flv-run.ts';
import type { PictureSource } from './key-picture.ts';
import { createPreviews, type NumberedPicture, type Previews } from './previews.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-preview-'));
const open: Previews[] = [];
afterEach(() => {
  for (const previews of open.splice(0)) previews.close();
});
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Each second is a different gray, in pictures that reference each other as encoders make them by default. */
function greys(codec: string, size = '640x360'): string {
  const grey = "geq=lum='16+40*floor(N/25)':cb=128:cr=128";
  const source = ['-f', 'lavfi', '-i', `color=black:s=32x18:r=25,${grey},scale=${size.replace('x', ':')},setsar=1`];
  return clip([...source, '-t', '5', ...codec.split(' '), '-pix_fmt', 'yuv420p'], 'ts');
}
const h264 = '-c:v libx264 -preset fast -g 25 -bf 3 -sc_threshold 0';
const hevc = '-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=25:min-keyint=25:scenecut=0:bframes=3';

function stage(shape: 'flv' | 'ts') {
  const source: PictureSource = { shape, flv: createFlvBus(), ts: createTsBus() };
  const sink = createTsSink(source.ts);
  if (shape === 'flv') startTsToFlv(source.ts, source.flv, () => undefined);
  const previews = createPreviews({ ffmpeg: () => 'ffmpeg', source: (name) => (name === '1' ? source : undefined) });
  open.push(previews);
  let after = 0;
  const look = () => {
    const found = previews.look(['1'], after);
    after = found.at(-1)?.number ?? after;
    return found;
  };
  return {
    look,
    send(bytes: Uint8Array) {
      sink.write(bytes);
      sink.flush();
    },
    /** Polls until a picture arrives. */
    async next(withinMs: number): Promise<NumberedPicture> {
      for (const end = performance.now() + withinMs; performance.now() < end; await Bun.sleep(50)) {
        const picture = look()[0];
        if (picture) return picture;
      }
      throw new Error(`no picture within ${withinMs} ms`);
    },
  };
}

/** Width, height and mean brightness of a picture, as FFmpeg sees it. */
async function read({ jpeg }: NumberedPicture): Promise<{ size: string; grey: number }> {
  const file = join(folder, 'picture.jpg');
  await Bun.write(file, jpeg);
  const size = await run(['ffprobe', '-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', file]);
  const raw = join(folder, 'picture.raw');
  await ffmpeg('-i', file, '-vf', 'scale=1:1', '-pix_fmt', 'gray', '-f', 'rawvideo', raw);
  return { size: size.trim(), grey: readFileSync(raw)[0] ?? -1 };
}

const pieces = (bytes: Buffer, count: number) => {
  const size = Math.ceil(bytes.length / 188 / count) * 188;
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
};

for (const [codec, args] of [
  ['H.264', h264],
  ['HEVC', hevc],
] as const) {
  for (const shape of ['ts', 'flv'] as const) {
    test(`the newest keyframe of ${codec} from ${shape} is shown, not an earlier one`, async () => {
      const made = greys(args);
      const { send, next } = stage(shape);
      const seen: number[] = [];
      for (const piece of pieces(readFileSync(made), 5)) {
        send(piece);
        const { size, grey } = await read(await next(20_000));
        expect(size).toBe('320,180');
        seen.push(grey);
      }
      // As FFmpeg shows the first picture of the fifth second by itself; the previous second is much darker.
      const file = join(folder, 'last.jpg');
      const fifth = ['-vf', "select='eq(n,100)',scale=320:180", '-frames:v', '1', '-update', '1'];
      await ffmpeg('-i', made, ...fifth, file);
      const { grey } = await read({ name: '1', number: 0, jpeg: readFileSync(file) });
      expect(seen.at(-1)).toBeWithin(grey - 10, grey + 10);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    });
  }
}

test('a picture keeps its aspect ratio, also when the stream changes it', async () => {
  const { send, next } = stage('ts');
  send(readFileSync(greys(h264)));
  expect((await read(await next(20_000))).size).toBe('320,180');
  send(readFileSync(greys(h264, '360x640')));
  const sizes: string[] = [];
  for (let round = 0; round < 3 && !sizes.includes('100,180'); round++)
    sizes.push((await read(await next(20_000))).size);
  expect(sizes).toContain('100,180');
});

test('an FFmpeg that cannot even be started is retried later, and other previews are not affected', async () => {
  const { look, send, next } = stage('ts');
  const bytes = readFileSync(greys(h264));
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  send(bytes);
  expect(look()).toEqual([]);
  process.env.PATH = path;
  expect((await next(20_000)).jpeg.length).toBeGreaterThan(0);
});
