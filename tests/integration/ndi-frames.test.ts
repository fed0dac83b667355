/** Frames from one process to another through the NDI library: their names, formats and content at the receiver. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDouble } from '../sim/ndi/build-double.ts';
import { type Peer, startPeer, tonePeak } from '../sim/ndi/peer.ts';
import { untilSeen } from '../support/until.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-frames-'));
let library: string;
const peers: Peer[] = [];
beforeAll(async () => {
  library = await buildDouble(folder);
});
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.end()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function peer(): Promise<Peer> {
  const started = await startPeer(library, { NDI_DOUBLE_NETWORK: join(folder, 'network'), HOME: folder });
  peers.push(started);
  return started;
}

test('a receiver gets pictures and sound with their formats; one of low bandwidth gets smaller pictures', async () => {
  const [sender, receiver] = [await peer(), await peer()];
  const size = { width: 1280, height: 720 };
  expect(await sender.send('Camera', 90, { size })).toBe(true);
  const name =
    (
      await untilSeen(
        () => sender.names(),
        (names) => names.length > 0,
      )
    )[0] ?? '';
  await receiver.receive(name);
  const { video, audio } = await untilSeen(
    () => receiver.formats(name),
    (found) => !!found.video && !!found.audio,
  );
  expect(video).toEqual({ ...size, fourCc: 'UYVY', rate: { numerator: 50, denominator: 1 } });
  expect(audio).toEqual({ sampleRate: 48_000, channels: 2, samples: 960, peak: tonePeak });
  expect(await receiver.seen(name)).toEqual([90]);

  const low = await peer();
  await low.receive(name, 'low');
  const small = await untilSeen(
    () => low.formats(name),
    (found) => !!found.video,
  );
  expect(small.video).toMatchObject({ width: 640, height: 360 });
});
