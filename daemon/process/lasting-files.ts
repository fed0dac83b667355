/** Files of a process that outlives the hub: its log, and its process id, by which the next hub recognizes it. */
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
import { isAlive, markProcess, type ProcessMark } from './process-mark.ts';

/** Where the files of a process are, and under which name. */
export interface LastingPlace {
  readonly dataDir: string;
  /** Such as `engine`: the files are `run/engine.pid` and `log/engine.log`. */
  readonly file: string;
}

const rotateAboveBytes = 5 * 1024 * 1024;

const pidFile = ({ dataDir, file }: LastingPlace) => join(dataDir, 'run', `${file}.pid`);
const logFile = ({ dataDir, file }: LastingPlace) => join(dataDir, 'log', `${file}.log`);

/** Returns the process last started in this data folder, if it is still running. */
export function lastStarted(place: LastingPlace): ProcessMark | undefined {
  try {
    const [pid, startTime = ''] = readFileSync(pidFile(place), 'utf8').trim().split(' ');
    const mark = { pid: Number(pid), startTime };
    return isAlive(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

function isLogFull(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes;
}

function openLog(place: LastingPlace): number {
  const path = logFile(place);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (isLogFull(path)) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** For a process with a unit of its own: systemd would create the file as root, and the hub could not read it. */
export function createLog(place: LastingPlace): void {
  const path = logFile(place);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** For a process that runs for months: it appends to the open file, so that is copied and truncated, not renamed. */
export function boundLog(place: LastingPlace): void {
  const path = logFile(place);
  if (!isLogFull(path)) return;
  copyFileSync(path, `${path}.1`);
  chmodSync(`${path}.1`, 0o600);
  truncateSync(path);
}

/** Longer than any entry; all have the same length so that each overwrites the previous one. */
const markLength = 64;

/** Overwriting a file needs no more space, so a process can be replaced while the disk is full. */
function writeInPlace(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}

/** Makes a later hub recognize the process. */
export function noteStarted(place: LastingPlace, pid: number): void {
  const mark = markProcess(pid);
  mkdirSync(dirname(pidFile(place)), { recursive: true, mode: 0o700 });
  if (mark) writeInPlace(pidFile(place), `${mark.pid} ${mark.startTime}`.padEnd(markLength));
}

/** Starts the process in its own session: neither the end of the hub nor a Ctrl-C in its terminal reaches it. */
export function startLasting(
  place: LastingPlace,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const [program = '', ...args] = command;
  const log = openLog(place);
  try {
    const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env });
    child.unref();
    try {
      noteStarted(place, child.pid ?? 0);
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
