/** One line about the machine and the compared versions. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { run } from './build-tools.ts';

export async function describeMachine(): Promise<string> {
  const model = cpus()[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown processor';
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const kernel = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim();
  const versions = await Promise.all([
    Promise.resolve(`Bun ${Bun.version}`),
    versionOf('nginx', ['nginx', '-v'], /nginx\/([\d.]+)/),
    versionOf('FFmpeg', ['ffmpeg', '-version'], /ffmpeg version ([\d.]+)/),
    versionOf('libsrt', ['pkg-config', '--modversion', 'srt'], /([\d.]+)/),
  ]);
  return `${cpus().length} × ${model}, ${gigabytes} GB, Linux ${kernel}; ${versions.join(', ')}`;
}

/** Some programs print it on stderr. */
async function versionOf(name: string, argv: readonly string[], pattern: RegExp): Promise<string> {
  const text = await run(['sh', '-c', `${argv.join(' ')} 2>&1`]).catch(() => '');
  return `${name} ${pattern.exec(text)?.[1] ?? 'not installed'}`;
}
