/** The media engine as a system process: how it is started, recognized after a restart, and if necessary killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { timeDivisorName } from '../timing.ts';
import { ndiFolders } from './engine-command.ts';

/** A process id with its start time, so that a later process with the same id is not mistaken for it. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
}

const rotateAboveBytes = 5 * 1024 * 1024;

/** Undefined if the process does not exist or is a zombie (the parent of an adopted engine may not reap it). */
export function markProcess(pid: number): ProcessMark | undefined {
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces and parentheses.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTime = fields[18];
    return state === 'Z' || state === 'X' || startTime === undefined ? undefined : { pid, startTime };
  } catch {
    return undefined;
  }
}

export function isAlive(mark: ProcessMark): boolean {
  return markProcess(mark.pid)?.startTime === mark.startTime;
}

export function signal(mark: ProcessMark, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, name);
  } catch {
    // It ended in the meantime.
  }
}

const pidFile = (dataDir: string) => join(dataDir, 'run', 'engine.pid');

/** The engine last started for this data folder, if it is still running. */
export function lastStarted(dataDir: string): ProcessMark | undefined {
  try {
    const [pid, startTime] = readFileSync(pidFile(dataDir), 'utf8').trim().split(' ');
    const mark = markProcess(Number(pid));
    return mark?.startTime === startTime ? mark : undefined;
  } catch {
    return undefined;
  }
}

const logFile = (dataDir: string) => join(dataDir, 'log', 'engine.log');

function isLogFull(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes;
}

function openLog(dataDir: string): number {
  const path = logFile(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (isLogFull(path)) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** For an engine that runs for months: it appends to the open file, so that is copied and truncated, not renamed. */
export function boundLog(dataDir: string): void {
  const path = logFile(dataDir);
  if (!isLogFull(path)) return;
  copyFileSync(path, `${path}.1`);
  chmodSync(`${path}.1`, 0o600);
  truncateSync(path);
}

/**
 * Only variables that a program needs to find others and its temporary folder, and the trusted certificates; the hub's
 * own settings are not passed on.
 */
function engineEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SIGNALBOX_LOG', timeDivisorName];
  return Object.fromEntries(
    [...names, ...ndiFolders].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Longer than any entry; all have the same length so that each overwrites the previous one. */
const markLength = 64;

/** Overwriting a file needs no more space, so an engine can be replaced while the disk is full. */
function writeInPlace(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}

function noteStarted(dataDir: string, child: ChildProcess): void {
  const mark = markProcess(child.pid ?? 0);
  mkdirSync(join(dataDir, 'run'), { recursive: true, mode: 0o700 });
  if (mark) writeInPlace(pidFile(dataDir), `${mark.pid} ${mark.startTime}`.padEnd(markLength));
}

/** Starts the engine in its own session: neither the end of the hub nor a Ctrl-C in its terminal reaches it. */
export function startEngine(dataDir: string, command: readonly string[]): ChildProcess {
  const [program = '', ...args] = command;
  const log = openLog(dataDir);
  try {
    const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: engineEnvironment() });
    child.unref();
    try {
      noteStarted(dataDir, child);
    } catch (error) {
      // The next hub would not recognize it, and start a second one.
      child.kill('SIGKILL');
      throw error;
    }
    return child;
  } finally {
    closeSync(log);
  }
}
