import { expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MatroskaReader, type RawFrame } from '../../ndi/media/matroska-reader.ts';
import { decoderCommand } from './codec.ts';

async function run(command: readonly string[], input: Uint8Array): Promise<Uint8Array> {
  const child = Bun.spawn([...command], { stdin: input, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text()]);
  expect(errors).toBe('');
  return output;
}

test('a channel of odd width becomes frames of even width, whose lines are below each other', async () => {
  const picture = "color=size=65x35:rate=25,format=yuv444p,geq=lum='if(lt(X,32),60,160)':cb=128:cr=128";
  const coding = ['-t', '0.4', '-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-f', 'mpegts', 'pipe:1'];
  const stream = await run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', picture, ...coding], new Uint8Array());
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-codec-'));
  const path = join(folder, 'frames.mkv');
  writeFileSync(path, await run(decoderCommand('ffmpeg'), stream));
  const file = openSync(path, 'r');
  const reader = new MatroskaReader(file);
  let frame: RawFrame | undefined;
  for (let next = await reader.next(); next; next = await reader.next()) frame = next;
  closeSync(file);
  rmSync(folder, { recursive: true });
  expect(reader.streams.video).toMatchObject({ width: 64, height: 35 });
  expect(frame?.data.length).toBe(64 * 35 * 2);
  for (let y = 0; y < 35; y++) {
    const luma = (x: number) => frame?.data[(y * 64 + x) * 2 + 1] ?? 0;
    expect([y, luma(4) < 100, luma(60) > 100]).toEqual([y, true, true]);
  }
});
