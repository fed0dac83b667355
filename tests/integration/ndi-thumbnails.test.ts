/** Thumbnails of sources on the double of the library: what they show, how many are received, and what ends that. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxReceivers } from '../../daemon/ndi/messages.ts';
import type { NdiPicture } from '../../daemon/ndi/port.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import { desiredOf, openRouterRig, type RigOptions, type RouterRig } from '../sim/ndi/router-rig.ts';
import { until, untilSeen } from '../support/until.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-thumbs-'));
let library = '';
beforeAll(async () => {
  library = await buildDouble(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let rig: RouterRig | undefined;
afterEach(async () => rig?.end());

/** The router runs, because thumbnails use the runtime that it found. */
async function open(options: Partial<RigOptions> = {}): Promise<RouterRig> {
  const timing = { lingerMs: 1000, tickMs: 20, lookMs: 10, pictureMs: 100, turnMs: 100, emptyTurnMs: 2000 };
  rig = await openRouterRig({ library, timing, ...options });
  rig.router.configure(desiredOf([]));
  await rig.running();
  return rig;
}

/** The size in pixels, and the color at the left edge. */
async function decoded({ jpeg }: NdiPicture) {
  const format = ['-vf', 'crop=16:16:0:64,scale=1:1:flags=area', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const decoder = Bun.spawn(['ffmpeg', '-v', 'error', '-f', 'mjpeg', '-i', 'pipe:0', ...format], {
    ...{ stdin: jpeg, stdout: 'pipe', stderr: 'inherit' },
  });
  const [red = 0, green = 0, blue = 0] = new Uint8Array(await new Response(decoder.stdout).arrayBuffer());
  const { width, height } = await new Bun.Image(jpeg).metadata();
  return { width, height, red, green, blue };
}
const names = (count: number) => Array.from({ length: count }, (_, at) => `SIM (Cam ${at + 1})`);

test('the confined process makes a JPEG of the picture, and is replaced when it is killed', async () => {
  const { router, lines } = await open({ isConfined: true, environment: { NDI_DOUBLE_SOURCES: '3' } });
  const pictures = await untilSeen(
    () => router.pictures(names(3), 0),
    (seen) => seen.length === 3,
  );
  // The colors of the simulated sources: U 198, V 177 with little U, and little V.
  const [first, , third] = await Promise.all(pictures.map(decoded));
  expect(first).toMatchObject({ width: 320, height: 180 });
  expect(first?.blue).toBeGreaterThan(first?.red ?? 255);
  expect(third?.green).toBeGreaterThan(third?.red ?? 255);
  const processes = () => lines.flatMap((line) => /NDI thumbnail process connected pid=(\d+)/.exec(line)?.[1] ?? []);
  process.kill(Number(processes()[0]), 'SIGKILL');
  const { number } = pictures[2] as NdiPicture;
  await until(() => processes().length === 2 && router.pictures(names(3), number + 2).length > 0);
  expect(router.runtime()).toMatchObject({ state: 'running' });
});

test('nine viewed sources have pictures, eight are received at a time, and without viewers none', async () => {
  const { router, peer } = await open({ environment: { NDI_DOUBLE_SOURCES: '9' } });
  const { receivers } = await peer();
  const counts: number[] = [];
  const look = async () => {
    counts.push(await receivers());
    return router.pictures(names(9), 0);
  };
  await untilSeen(look, (pictures) => pictures.length === 9);
  await untilSeen(look, () => counts.at(-1) === maxReceivers);
  expect(Math.max(...counts)).toBe(maxReceivers);
  await until(async () => (await receivers()) === 0);
});
