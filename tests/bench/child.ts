/** Owns every process that the bench starts, so that an error or Ctrl-C leaves none running. */
import { processTree } from './proc.ts';

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<number>;
  /** The last lines of its stderr. */
  lastWords(): string;
  /** Sends SIGTERM, then SIGKILL, to it and all its children. */
  stop(): Promise<void>;
  /** Sends SIGKILL at once, for processes without state. FFmpeg ignores SIGTERM while it waits for input. */
  kill(): Promise<void>;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const stopTimeoutMs = 4000;
const keptWords = 4000;
const running = new Set<Child>();

export function startChild(name: string, argv: readonly string[], options: StartOptions = {}): Child {
  const { child } = startTalkingChild(name, argv, () => {}, options);
  return child;
}

/** A child whose stdout is read line by line and that accepts lines on stdin. */
export function startTalkingChild(
  name: string,
  argv: readonly string[],
  onLine: (line: string) => void,
  options: StartOptions = {},
): { child: Child; say: (line: string) => void } {
  // If the bench itself is killed, the kernel ends its children.
  const process = Bun.spawn(['setpriv', '--pdeathsig', 'TERM', ...argv], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...Bun.env, ...options.env },
  });
  let words = '';
  const drained = Promise.all([
    eachLine(process.stdout, onLine),
    eachLine(process.stderr, (line) => {
      words = `${words}${line}\n`.slice(-keptWords);
    }),
  ]);
  const child: Child = {
    name,
    pid: process.pid,
    exited: process.exited.then(async (code) => {
      running.delete(child);
      await drained;
      return code;
    }),
    lastWords: () => words.trim(),
    stop: () => stopTree(process.pid, child.exited),
    kill: () => killTree(process.pid, child.exited),
  };
  running.add(child);
  return {
    child,
    say: (line) => {
      process.stdin.write(`${line}\n`);
      process.stdin.flush();
    },
  };
}

export async function stopAllChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop()));
}

async function stopTree(pid: number, exited: Promise<number>): Promise<void> {
  const tree = processTree(pid);
  signal(pid, 'SIGTERM');
  const inTime = await Promise.race([exited.then(() => true), Bun.sleep(stopTimeoutMs).then(() => false)]);
  // Also after a clean exit: a worker may have outlived its parent.
  for (const each of tree) if (!inTime || each !== pid) signal(each, 'SIGKILL');
  await exited;
}

async function killTree(pid: number, exited: Promise<number>): Promise<void> {
  for (const each of processTree(pid)) signal(each, 'SIGKILL');
  await exited;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already exited.
  }
}

async function eachLine(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest !== '') onLine(rest);
}
