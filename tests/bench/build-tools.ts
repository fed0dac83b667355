/** Compiles `native/` and makes the source clip; both are kept in the build folder until their sources change. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Toolbox } from './tools.ts';

const sourceFolder = join(import.meta.dir, 'native');
/** Video frames (1/30 s), AAC frames (1024/48000 s) and GOPs (2 s) all end here, so it loops cleanly. */
const clipMs = 16_000;

const rtmp = ['rtmp-session', 'rtmp-chunks'];
const shared = ['fail', 'options', 'control', 'marker', 'srt-socket', ...rtmp];
const programs: Readonly<Record<'send' | 'sink' | 'mark-clip', readonly string[]>> = {
  send: ['send', 'ts-clip', 'flv-clip', ...shared],
  sink: [
    'sink',
    'sink-rtmp',
    'sink-srt',
    'sink-udp',
    'sink-http',
    'http-get',
    'grid',
    'ts-reader',
    'reader-stats',
    ...shared,
  ],
  'mark-clip': ['mark-clip', 'flv-clip', 'marker', 'fail'],
};

export async function buildToolbox(buildFolder: string): Promise<Toolbox> {
  mkdirSync(buildFolder, { recursive: true });
  for (const [name, sources] of Object.entries(programs)) await compile(join(buildFolder, name), sources);
  const flvClip = await makeClip(buildFolder);
  const tsClip = flvClip.replace(/\.flv$/, '.ts');
  return { send: join(buildFolder, 'send'), sink: join(buildFolder, 'sink'), flvClip, tsClip, clipMs };
}

async function compile(program: string, sources: readonly string[]): Promise<void> {
  const newestSource = Math.max(...readdirSync(sourceFolder).map((name) => statSync(join(sourceFolder, name)).mtimeMs));
  if (existsSync(program) && statSync(program).mtimeMs > newestSource) return;
  const srt = (await run(['pkg-config', '--cflags', '--libs', 'srt'])).trim().split(/\s+/);
  const files = sources.map((name) => join(sourceFolder, `${name}.c`));
  const flags = ['-O2', '-Wall', '-Wextra', '-Werror', '-std=gnu17', '-D_GNU_SOURCE', '-pthread'];
  await run(['cc', ...flags, '-o', program, ...files, ...srt]);
}

/** Returns the path of the FLV; the TS is in the same folder. */
async function makeClip(folder: string): Promise<string> {
  const encode = encodeArguments();
  const version = createHash('sha256')
    .update(JSON.stringify(encode))
    .update(readFileSync(join(sourceFolder, 'mark-clip.c')))
    .update(readFileSync(join(sourceFolder, 'marker.c')))
    .digest('hex')
    .slice(0, 12);
  const flv = join(folder, `clip-${version}.flv`);
  const ts = join(folder, `clip-${version}.ts`);
  if (existsSync(ts)) return flv;
  const raw = join(folder, 'clip-without-marks.flv');
  const unfinished = join(folder, 'clip-unfinished.ts');
  const ffmpeg = ['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
  await run([...ffmpeg, ...encode, raw]);
  await run([join(folder, 'mark-clip'), raw, flv, String(clipMs)]);
  // One audio frame per PES, as hardware encoders send it: easier for every remuxer than FFmpeg's default of eight.
  await run([
    ...ffmpeg,
    '-i',
    flv,
    '-c',
    'copy',
    '-f',
    'mpegts',
    '-muxdelay',
    '0',
    '-pes_payload_size',
    '0',
    unfinished,
  ]);
  renameSync(unfinished, ts);
  return flv;
}

function encodeArguments(): string[] {
  const picture = 'testsrc2=size=1920x1080:rate=30,noise=alls=12:allf=t';
  const sound = 'sine=frequency=1000:sample_rate=48000';
  const rate = ['-b:v', '5800k', '-minrate', '5800k', '-maxrate', '5800k', '-bufsize', '2900k'];
  const gop = ['-g', '60', '-keyint_min', '60', '-sc_threshold', '0', '-bf', '0', '-x264-params', 'sliced-threads=0'];
  const video = [
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx264',
    '-preset',
    'superfast',
    '-profile:v',
    'high',
    ...gop,
    ...rate,
  ];
  const audio = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
  const input = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-t', String(clipMs / 1000 + 0.1)];
  return [...input, ...video, ...audio, '-f', 'flv'];
}

export async function run(argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([...argv], { stdout: 'pipe', stderr: 'pipe', stdin: 'ignore', timeout: 120_000 });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}: ${err.trim()}`);
  return out;
}
