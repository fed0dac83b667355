/** A real hub for the integration tests: on free ports, with its own data folder, driven over HTTP. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { engineFiles } from '../../daemon/media/engine-command.ts';
import { lastStarted } from '../../daemon/process/lasting-files.ts';
import { isAlive, type ProcessMark, signal } from '../../daemon/process/process-mark.ts';
import { readPortsFile } from '../../daemon/store/ports-file.ts';
import { timeDivisorName } from '../../daemon/timing.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { mainProgram } from '../support/main-program.ts';
import { addLog, addLogFile, engineLog, until, untilSeen } from '../support/until.ts';

const root = join(import.meta.dir, '../..');
export const adminPassword = 'integration-only';
const readyMs = 20_000;
const stopMs = 6000;
const callMs = 10_000;
const keptLog = 8_000_000;

/** `https` is set if the hub was started with it. */
type Ports = Readonly<
  Record<'http' | 'rtmp' | 'srt' | 'hls', number> & { https?: number | null; link?: number | null }
>;

export interface HubOptions {
  /** Added to the hub's default environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Like in production: without the privilege to open low ports, even if the tests have it. */
  readonly isUnprivileged?: boolean;
  /** Divides the slow times of hub and engine; see scaled-timing.ts. Default: 1. */
  readonly timeDivisor?: number;
  /** Parent of its data folder. Default: the temporary folder. */
  readonly parent?: string;
  /** Maximum number of open files of the hub and its engine. */
  readonly openFiles?: number;
  /** Command that starts the program; `hub` follows. Default: the source tree. */
  readonly program?: readonly string[];
}

export interface ApiResponse {
  readonly result: number;
  readonly message?: string;
}

export interface HubProcess {
  readonly url: string;
  readonly ports: Ports;
  readonly dataDir: string;
  readonly pid: number;
  /** Signs in as Admin. A session outlives a restart. */
  login(): Promise<void>;
  /** A call with a body is a POST. Rejects unless the result is 0. */
  api<T = ApiResponse>(path: string, body?: object): Promise<T>;
  /** The same, with any result. */
  answer<T = ApiResponse>(path: string, body?: object): Promise<T & ApiResponse>;
  /** Headers of a signed-in request, for requests that `api` cannot make. */
  headers(): Record<string, string>;
  /** Resolves with the exit code once the hub has exited; does not stop the engine. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number>;
  /** Starts the hub again on the same folder and ports. */
  restart(): Promise<void>;
  /** All output of the hub on both streams, over all restarts. */
  logs(): string;
  /** The running engine; waits for an engine that is starting until it accepts RTMP connections. */
  enginePid(): Promise<number>;
  endpointPid(of: 'rtmp' | 'srt' | 'udp'): Promise<number>;
  /** Resident memory of the engine, bytes. */
  engineMemory(): Promise<number>;
  /** Stops hub and engine and removes the folder. */
  stop(): Promise<void>;
}

const running = new Set<RealHub>();
process.on('exit', () => {
  for (const hub of running) hub.killAtOnce();
});

/** Resolves when the hub is ready and its engine accepts RTMP connections. */
export async function startHub({ env = {}, timeDivisor = 1, ...options }: HubOptions): Promise<HubProcess> {
  const hub = new RealHub({ ...env, [timeDivisorName]: String(timeDivisor) }, options);
  try {
    await hub.restart();
  } catch (error) {
    await hub.stop();
    throw error;
  }
  return hub;
}

class RealHub implements HubProcess {
  readonly dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #command: readonly string[];
  #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined;
  #drained: Promise<unknown> = Promise.resolve();
  #cookie = '';
  #ports: Ports = { http: 0, rtmp: 0, srt: 0, hls: 0 };
  #log = '';
  readonly #logs: readonly (() => void)[];

  constructor(
    env: Readonly<Record<string, string>>,
    {
      isUnprivileged = false,
      parent = tmpdir(),
      openFiles,
      program = [process.execPath, mainProgram],
    }: Omit<HubOptions, 'env' | 'timeDivisor'>,
  ) {
    this.dataDir = mkdtempSync(join(parent, 'signalbox-hub-'));
    this.#logs = [addLog('hub', () => this.#log), addLogFile('engine and endpoints', join(this.dataDir, engineLog))];
    const isRoot = process.getuid?.() === 0;
    const without = isUnprivileged && isRoot ? ['--bounding-set', '-net_bind_service'] : [];
    const limited = openFiles === undefined ? [] : ['prlimit', `--nofile=${openFiles}:${openFiles}`];
    this.#command = ['setpriv', '--pdeathsig', 'KILL', ...without, ...limited, ...program, 'hub'];
    this.#env = env;
  }

  get ports(): Ports {
    return this.#ports;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports.http}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async restart(): Promise<void> {
    running.add(this);
    // All 0 at first. Restarts ask for the ports of the first start. Outgoing connections do not take these in between:
    // Linux gives odd numbers to bind(0) and even ones to outgoing connections, as long as it has both.
    const { http, rtmp, srt, hls, link } = this.#ports;
    const child = Bun.spawn([...this.#command], {
      cwd: root,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env.PATH ?? '',
        SIGNALBOX_DATA_DIR: this.dataDir,
        SIGNALBOX_BIND: '127.0.0.1',
        SIGNALBOX_HTTP_PORT: String(http),
        SIGNALBOX_HTTPS_PORT: 'off',
        SIGNALBOX_RTMP_PORT: String(rtmp),
        SIGNALBOX_SRT_PORT: String(srt),
        SIGNALBOX_HLS_PORT: String(hls),
        SIGNALBOX_LINK_PORT: String(link ?? 0),
        SIGNALBOX_CONSOLE_PORT: '0',
        SIGNALBOX_ADMIN_PASSWORD: adminPassword,
        // Whatever a test calls, the network of this machine stays as it is.
        DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent',
        ...this.#env,
      },
    });
    this.#child = child;
    this.#drained = Promise.all([this.#read(child.stdout), this.#read(child.stderr)]);
    await until(() => this.#isReady(), readyMs, 'the hub is ready');
    await until(() => accepts(this.#ports.rtmp), readyMs, 'the engine takes RTMP connections');
  }

  async login(): Promise<void> {
    const { token } = await this.api<{ token: string }>('/api/login', { id: 'Admin', password: adminPassword });
    this.#cookie = `${cookieNames.sid}=${token}`;
  }

  async api<T>(path: string, body?: object): Promise<T> {
    const answer = await this.answer<T>(path, body);
    // The health call is not part of the API and has no result.
    if ((answer.result ?? 0) !== 0) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
    return answer;
  }

  async answer<T>(path: string, body?: object): Promise<T & ApiResponse> {
    const response = await fetch(`${this.url}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...this.headers(), ...(body && { 'content-type': 'application/json' }) },
      // The hub may be closing a reused connection, because it was idle for 10 s.
      keepalive: false,
      signal: AbortSignal.timeout(callMs),
    });
    return (await response.json()) as T & ApiResponse;
  }

  headers(): Record<string, string> {
    return { cookie: this.#cookie };
  }

  async kill(name: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number> {
    this.#child?.kill(name);
    const code = (await this.#child?.exited) ?? 0;
    await this.#drained;
    return code;
  }

  logs(): string {
    return this.#log;
  }

  async enginePid(): Promise<number> {
    let pid = 0;
    const isRunning = async () => {
      pid = lastStarted(engineFiles(this.dataDir))?.pid ?? 0;
      // A dying engine accepts connections for a moment longer than its id is known.
      return pid !== 0 && (await accepts(this.ports.rtmp));
    };
    await until(isRunning, readyMs, 'an engine takes RTMP connections');
    return pid;
  }

  async endpointPid(of: 'rtmp' | 'srt' | 'udp'): Promise<number> {
    const engine = await this.enginePid();
    const isMeant = (pid: number) => commandLine(pid)[0]?.endsWith(`${of}-endpoint`);
    const look = () => processTree(engine).find(isMeant) ?? 0;
    return untilSeen(look, (pid) => pid !== 0, readyMs, `the ${of} endpoint runs`);
  }

  async engineMemory(): Promise<number> {
    const status = readFileSync(`/proc/${await this.enginePid()}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopMs);
    await this.kill('SIGTERM');
    clearTimeout(timer);
    const engine = lastStarted(engineFiles(this.dataDir));
    if (engine) await endTree(engine);
    running.delete(this);
    for (const forget of this.#logs) forget();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** Used when the test run itself ends: there is no time to wait. */
  killAtOnce(): void {
    this.#child?.kill('SIGKILL');
    const engine = lastStarted(engineFiles(this.dataDir));
    if (engine) signal(engine, 'SIGKILL');
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) {
      this.#log = (this.#log + decoder.decode(part, { stream: true })).slice(-keptLog);
    }
  }

  async #isReady(): Promise<boolean> {
    if (this.#child?.exitCode !== null) throw new Error(`the hub ended with ${this.#child?.exitCode}\n${this.#log}`);
    const open = readPortsFile(this.dataDir);
    if (open?.pid !== this.pid || open.rtmp === 0 || open.srt === 0 || open.hls === 0) return false;
    this.#ports = open;
    return fetch(`${this.url}/api/health`, { signal: AbortSignal.timeout(callMs) }).then(
      (response) => response.ok,
      () => false,
    );
  }
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

/** Ends the engine and all its children. */
async function endTree(engine: ProcessMark): Promise<void> {
  const tree = processTree(engine.pid);
  signal(engine, 'SIGTERM');
  await until(() => !isAlive(engine), stopMs, 'the engine ends').catch(() => signal(engine, 'SIGKILL'));
  for (const pid of tree.filter((one) => commandLine(one).length > 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It exited in between.
    }
  }
}
