/** A running SRT endpoint with the engine's side played by the test, and real SRT programs as peers. */
import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confinedEndpoint, Endpoint } from '../../daemon/engine/endpoint/endpoint.ts';
import {
  type EndpointEvent,
  type EndpointOperation,
  endpointProtocol,
  feedFlags,
  type KeyRow,
  type ListenOperation,
  mediaFlags,
  readEvent,
} from '../../daemon/engine/srt/protocol.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { addLog, until, untilSeen, usualMs } from '../../tests/support/until.ts';
import { asanEnvironment, type Build, endpointBinary, sanitizerReport } from '../common/test-endpoint.ts';
import { runsOf, StreamCheck, tablesOf } from '../common/test-ts.ts';

export const pushKey = 'PUSH-3f0c';
export const playKey = 'PULL-91ab';

type EventOf<Name extends EndpointEvent['ev']> = Extract<EndpointEvent, { ev: Name }>;

interface PeerOptions {
  /** `pipe`: the test writes to it. */
  readonly stdin?: 'ignore' | 'pipe';
  /** `ignore` leaves the pipe unread. */
  readonly output?: 'check' | 'unread';
}

export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), 'srt-endpoint-'));
  readonly events: EndpointEvent[] = [];
  readonly log: string[] = [];
  /** Bytes by connection or call, as the engine gets them. */
  readonly received = new Map<number, StreamCheck>();
  port = 0;
  /** Data frames that the engine got. */
  frames = 0;
  /** Of those, the ones marked as following a loss. */
  lost = 0;
  /** Send what publishers bring back to the players of feed 7, as the engine does. */
  isEchoing = true;
  readonly endpoint: Endpoint<EndpointEvent, EndpointOperation>;
  #starts = 0;
  #hasTables = false;
  readonly #peers: Peer[] = [];
  readonly #forgetLog = addLog('SRT endpoint', () => this.log.join('\n'));

  private constructor(build: Build, environment: Readonly<Record<string, string>>) {
    const binary = endpointBinary('srt', build);
    const socketPath = join(this.folder, 'srt.sock');
    this.endpoint = new Endpoint<EndpointEvent, EndpointOperation>({
      name: 'SRT endpoint',
      protocol: endpointProtocol,
      readEvent,
      binary,
      socketPath,
      // The sanitizers need more rights and memory than the launcher grants. Tests preload libraries from the build.
      command: () =>
        build === 'asan'
          ? [binary, '--socket', socketPath]
          : confinedEndpoint(binary, socketPath, { sockets: 'internet', read: [join(import.meta.dir, 'build')] }),
      log: createLog('debug', (line) => this.log.push(line)),
      environment: { ...(build === 'asan' && asanEnvironment), ...environment },
      onStart: () => {
        this.#starts++;
      },
      onDown: ({ reason }) => this.log.push(`down: ${reason}`),
      onEvent: (event) => this.events.push(event),
      onData: (id, flags, bytes) => {
        this.frames++;
        if (flags & mediaFlags.lost) this.lost++;
        this.#receive(id, bytes);
      },
    });
  }

  static async start(build: Build, listen: Partial<ListenOperation> = {}, environment = {}): Promise<Rig> {
    const rig = new Rig(build, environment);
    await until(() => rig.#starts > 0);
    await rig.listen(listen);
    return rig;
  }

  /** What the engine says after each start. */
  async listen(listen: Partial<ListenOperation> = {}): Promise<void> {
    const usual = { bind: '127.0.0.1', port: this.port, latency: 60, passphrase: '', pbkeylen: 0 };
    this.keys();
    this.endpoint.send({ op: 'listen', ...usual, ...listen });
    ({ port: this.port } = await this.event('listening'));
  }

  get starts(): number {
    return this.#starts;
  }

  get pid(): number {
    const { pid } = this.endpoint;
    if (pid === 0) throw new Error('the endpoint is not running');
    return pid;
  }

  keys(change: Partial<KeyRow> = {}, ...more: KeyRow[]): void {
    const row = {
      feed: 7,
      push: pushKey,
      play: playKey,
      publish: true,
      play_ok: true,
      busy: false,
      replace: false,
      ...change,
    };
    this.endpoint.send({ op: 'keys', list: [row, ...more] });
  }

  /** Waits for an event and takes it out of the list. */
  async event<Name extends EndpointEvent['ev']>(
    name: Name,
    isMeant: (event: EventOf<Name>) => boolean = () => true,
  ): Promise<EventOf<Name>> {
    const matches = (event: EndpointEvent) => event.ev === name && isMeant(event as EventOf<Name>);
    const others = () => this.events.filter((event) => event.ev !== 'stats' || event.ev === name);
    await untilSeen(others, (events) => events.some(matches), usualMs, `event ${name}`);
    const [found] = this.events.splice(this.events.findIndex(matches), 1);
    return found as EventOf<Name>;
  }

  url(streamId: string, options = ''): string {
    return `srt://127.0.0.1:${this.port}?streamid=${streamId}${options}`;
  }

  checkOf(id: number): StreamCheck {
    const known = this.received.get(id);
    if (known) return known;
    const fresh = new StreamCheck();
    this.received.set(id, fresh);
    return fresh;
  }

  peer(command: readonly string[], options?: PeerOptions): Peer {
    const peer = startPeer(command, options);
    this.#peers.push(peer);
    return peer;
  }

  /** FFmpeg publishes the file again and again in real time. */
  publish(file: string, url: string): Peer {
    const input = ['-re', '-stream_loop', '-1', '-i', file, '-c', 'copy'];
    return this.peer(['ffmpeg', '-nostdin', '-v', 'error', ...input, '-f', 'mpegts', url]);
  }

  play(url: string, options?: PeerOptions): Peer {
    return this.peer(['srt-live-transmit', '-a:no', '-loglevel:note', url, 'file://con'], options);
  }

  async close(): Promise<void> {
    for (const peer of this.#peers) peer.kill();
    await Promise.all(this.#peers.map((peer) => peer.exited));
    await this.endpoint.close('test ends');
    this.#forgetLog();
    rmSync(this.folder, { recursive: true, force: true });
    expect(this.log.filter((line) => sanitizerReport.test(line))).toEqual([]);
    expect(this.log.filter((line) => line.includes(pushKey) || line.includes(playKey))).toEqual([]);
  }

  #receive(id: number, bytes: Uint8Array): void {
    this.checkOf(id).add(bytes);
    if (!this.isEchoing) return;
    if (!this.#hasTables) {
      const tables = tablesOf(bytes);
      if (tables) this.#hasTables = this.endpoint.sendData(7, feedFlags.tables, tables);
    }
    for (const { data, isEntry } of runsOf(bytes)) {
      this.endpoint.sendData(7, isEntry ? feedFlags.entryPoint : 0, data);
    }
  }
}

export type Peer = ReturnType<typeof startPeer>;

function startPeer(command: readonly string[], { stdin = 'ignore', output = 'check' }: PeerOptions = {}) {
  const child = Bun.spawn([...command], { stdin, stdout: 'pipe', stderr: 'pipe' });
  const check = new StreamCheck();
  let errors = '';
  if (output === 'check') void readAll(child.stdout, (chunk) => check.add(chunk));
  void readAll(child.stderr, (chunk) => {
    errors += new TextDecoder().decode(chunk);
  });
  return {
    check,
    pid: child.pid,
    exited: child.exited,
    stderr: () => errors,
    kill: (signal: NodeJS.Signals = 'SIGKILL') => child.kill(signal),
    write(bytes: Uint8Array) {
      if (typeof child.stdin !== 'object') return;
      void child.stdin.write(bytes);
      void child.stdin.flush();
    },
  };
}

async function readAll(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of stream) onChunk(chunk);
}
