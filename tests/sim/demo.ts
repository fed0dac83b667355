/**
 * `make demo`: the real hub, with FFmpeg processes that publish test pictures to it and play them, simulated devices, and
 * NDI, whose runtime and network are simulated as well if no runtime is installed.
 * It has its own data folder; changes made in the console are kept for the next run.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../daemon/contract/api.ts';
import { demoStreams, ensureChannels } from './demo-channels.ts';
import { deviceCount, startDevices } from './demo-devices.ts';
import { ensureNdiChannels, ndiRuntimeFor, prepareRouter } from './demo-ndi.ts';
import { keepFfmpegRunning } from './ffmpeg-loop.ts';
import { signIn, untilReady } from './hub-client.ts';

const root = join(import.meta.dir, '../..');
const dataDir = process.env.SIGNALBOX_DATA_DIR ?? join(root, 'var/demo');
const origin = `http://127.0.0.1:${process.env.SIGNALBOX_HTTP_PORT ?? '8880'}`;
const ffmpeg = process.env.SIGNALBOX_FFMPEG ?? 'ffmpeg';
const readyWithinMs = 30_000;
const hubStopMs = 8000;
/** Ample for a hub that finds its port in use. */
const hubStartMs = 3000;

const password = demoPassword();
const ndi = await ndiRuntimeFor(dataDir);
const stopped = new AbortController();
process.on('SIGINT', () => stopped.abort());
process.on('SIGTERM', () => stopped.abort());

// Its own process group: only this process gets Ctrl-C, and stops publishers before the hub.
const hub = Bun.spawn(['setpriv', '--pdeathsig', 'TERM', process.execPath, join(root, 'daemon/main.ts'), 'hub'], {
  cwd: root,
  env: {
    ...{ SIGNALBOX_FEATURES: 'devices,ndi-router,ndi', ...process.env, ...ndi.environment },
    ...{ SIGNALBOX_DATA_DIR: dataDir, SIGNALBOX_ADMIN_PASSWORD: password },
  },
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
});
const hubEnded = hub.exited.then((code) => {
  stopped.abort();
  return code;
});

let failure: unknown;
try {
  const limit = AbortSignal.any([stopped.signal, AbortSignal.timeout(readyWithinMs)]);
  await untilReady(origin, limit).catch(() => {
    throw new Error(`the hub was not ready within ${readyWithinMs / 1000} s`);
  });
  await runStreams();
} catch (error) {
  // Stopping is not a failure, whatever it interrupted.
  failure = stopped.signal.aborted ? undefined : error;
  // A hub that cannot start logs the reason; in that case the program on its port was another one.
  if (failure !== undefined) await Promise.race([hubEnded, Bun.sleep(hubStartMs)]);
}
hub.kill('SIGTERM');
const lastResort = setTimeout(() => hub.kill('SIGKILL'), hubStopMs);
const hubCode = await hubEnded;
clearTimeout(lastResort);
if (failure === undefined || hubCode !== 0) process.exit(hubCode);
console.error(`The demo ended: ${failure instanceof Error ? failure.message : failure}`);
process.exit(1);

async function runStreams(): Promise<void> {
  const client = await signIn(origin, password);
  const { status } = await client.get(api.system.status);
  const { ports } = status.system;
  const streams = demoStreams(await ensureChannels(client, ports), ports);
  await prepareRouter(client, ndi);
  if (ndi.isSimulator) await ensureNdiChannels(client);
  const devices = await startDevices(client, dataDir);
  const loops = streams.commands.map((args) => keepFfmpegRunning(ffmpeg, args));
  announce(streams.playUrls);
  await new Promise<void>((resolve) => {
    if (stopped.signal.aborted) resolve();
    stopped.signal.addEventListener('abort', () => resolve());
  });
  await Promise.all([devices.close(), ...loops.map((loop) => loop.close())]);
}

/** Generated on the first run and stored next to the data, because a hub only accepts one at its first start. */
function demoPassword(): string {
  const file = join(dataDir, 'demo-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const chosen = crypto.randomUUID().slice(0, 13);
  writeFileSync(file, `${chosen}\n`, { mode: 0o600 });
  return chosen;
}

function announce(playUrls: readonly string[]): void {
  console.log(`
  Signalbox demo

  Console   ${origin}
  Sign in   Admin, password ${password}
  Devices   ${deviceCount} simulated encoders and decoders, a USB Fusion, a camera with ONVIF, one that is only a stream,
            a Director, and an encoder that waits for approval, under Devices in the menu
  NDI       a router with inputs, outputs and salvos${ndi.isSimulator ? ', a channel that receives NDI and one that sends it' : ''},
            ${ndi.isSimulator ? 'on a simulator instead of an NDI runtime' : 'on the NDI runtime of this machine'}
  Play      ${playUrls.map((url) => `ffplay '${url}'`).join('\n            ')}

  Ctrl-C ends it. Its data stays in ${dataDir}; delete that folder to start afresh.
`);
}
