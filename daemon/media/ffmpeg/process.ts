/**
 * One FFmpeg child: arguments as an array, an empty environment, no more rights than it needs, a memory limit, the last
 * lines of its log, an end that is certain.
 */

import type { Subprocess } from 'bun';
import { confined, type Rights, systemPrograms } from '../../lib/confined.ts';
import { timing } from '../../timing.ts';
import type { ProcessLogEntry } from '../protocol.ts';

const headLines = 100;
const tailLines = 200;
const lineLength = 500;
/** Address space; a copy process needs about 0.4 GB of it and 52 MB of memory. */
const addressSpaceBytes = 2 ** 31;

export interface FfmpegProcess {
  readonly name: string;
  readonly exited: Promise<{ readonly code: number | null }>;
  /** SIGTERM, then SIGKILL after 3 s: FFmpeg was seen to ignore SIGTERM for minutes. */
  stop(): Promise<void>;
  /** At once: for one that doesn't run as it should. */
  kill(): void;
  log(): ProcessLogEntry;
}

export interface FfmpegOptions {
  readonly binary: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly rights: Rights;
}

type Line = ProcessLogEntry['lines'][number];

export function startFfmpeg(options: FfmpegOptions): FfmpegProcess {
  const flags = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'level+warning'];
  const command = confinedFfmpeg([options.binary, ...flags, ...options.args], options.rights);
  const child = Bun.spawn(command, {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '' },
  });
  const head: Line[] = [];
  const tail: Line[] = [];
  let running = true;
  const reading = readLines(child.stderr, (text) => {
    const line = toLine(mask(text));
    if (head.length < headLines) head.push(line);
    else if (tail.push(line) > tailLines) tail.shift();
  });
  const exited = child.exited.then(async () => {
    running = false;
    await reading;
    return { code: child.exitCode };
  });
  return {
    name: options.name,
    exited,
    stop: () => stopChild(child),
    kill: () => child.kill('SIGKILL'),
    log: () => ({ name: options.name, running, lines: [...head, ...tail] }),
  };
}

/**
 * A command that dies with us, has these rights only, and can't eat the machine's memory. The programs of the system are
 * among what it may run, since SIGNALBOX_FFMPEG may name a script that ends with `exec ffmpeg "$@"`.
 */
export function confinedFfmpeg(command: readonly string[], rights: Rights): string[] {
  const limits = { addressSpace: addressSpaceBytes, files: 256, ...rights.limits };
  return confined(command, { ...rights, run: systemPrograms, limits });
}

export async function stopChild(child: Subprocess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), timing.ffmpeg.killAfterMs);
  await child.exited;
  clearTimeout(timer);
}

/** FFmpeg is given no secret. Whatever stands where a URL keeps its key or password is replaced all the same. */
function mask(text: string): string {
  return text
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1***@')
    .replace(/((?:passphrase|streamid|password|key)=)[^&\s'"]+/gi, '$1***');
}

function toLine(text: string): Line {
  const level = /\[(panic|fatal|error|warning|info|verbose|debug)\]/.exec(text)?.[1] ?? 'info';
  return { time: Date.now(), level: level === 'warning' ? 'warn' : level, text };
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/[\r\n]+/);
    rest = (lines.pop() ?? '').slice(-4096);
    for (const line of lines) if (line) onLine(line.slice(0, lineLength));
  }
  if (rest) onLine(rest.slice(0, lineLength));
}
