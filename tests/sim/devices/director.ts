/** Simulates a Director Mini: acts over HTTP, its state over OSC. */
import { createSocket, type Socket } from 'node:dgram';
import { decodeOsc, encodeOsc } from '../../../daemon/devices/v1/osc.ts';
import type { Json } from './device.ts';
import { untilGivenUp } from './faults.ts';
import { recorded } from './recorded.ts';

interface Server {
  readonly id: number;
  readonly name: string;
  isConfigured: boolean;
  isStreaming: boolean;
  readonly bitrate: string;
  status: number;
}

const types = ['recording', 'streaming', 'scene'];
const bootMs = 60_000;

export class DirectorDevice {
  /** Paths with queries, in the order of the calls. */
  readonly calls: string[] = [];
  isRecording = false;
  scene = 0;
  readonly servers: Server[] = (recorded('v1/streaming').serverList as Server[]).map((server) => ({ ...server }));
  /** Acts that it carries out without answering. */
  unanswered: readonly string[] = [];
  /** HTTP status of all acts. */
  status = 200;
  /** Questions over OSC that it does not answer at first. */
  lostQuestions = 0;
  /** Answers over OSC from another address than its own. */
  isMasked = false;
  private socket: Socket | undefined;
  private silentUntil = 0;

  /** Listens for OSC; 0: at any port. Returns the port. */
  async listen(host = '127.0.0.1', port = 0): Promise<number> {
    const socket = createSocket('udp4');
    this.socket = socket;
    socket.on('message', (datagram) => this.answer(socket, datagram));
    return await new Promise((resolve) => socket.bind(port, host, () => resolve(socket.address().port)));
  }

  async handle(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.calls.push(pathname + search);
    if (Date.now() < this.silentUntil) return untilGivenUp(request);
    const act = pathname.replace(/^\/V1\.0\//, '');
    const isKnown = this.act(act, new URLSearchParams(search));
    if (this.unanswered.includes(act)) return untilGivenUp(request);
    return new Response(null, { status: isKnown ? this.status : 404 });
  }

  async close(): Promise<void> {
    this.socket?.close();
    this.socket = undefined;
  }

  private act(name: string, params: URLSearchParams): boolean {
    if (this.status !== 200) return true;
    switch (name) {
      case 'record/start':
      case 'record/stop':
        this.isRecording = name.endsWith('start');
        return true;
      case 'stream/actionById':
        return this.stream(this.servers.find(({ id }) => `${id}` === params.get('id')));
      case 'stream/actionByIndex':
        return this.stream(this.servers.filter(({ isConfigured }) => isConfigured)[Number(params.get('index'))]);
      case 'stream/stopAll':
        for (const server of this.servers) Object.assign(server, { isStreaming: false, status: 0 });
        return true;
      case 'system/reboot':
        this.silentUntil = Date.now() + bootMs;
        return true;
      default:
        return false;
    }
  }

  private stream(server: Server | undefined): boolean {
    if (server?.isConfigured) Object.assign(server, { isStreaming: true, status: 2 });
    return server?.isConfigured === true;
  }

  private answer(socket: Socket, datagram: Uint8Array): void {
    const [question] = decodeOsc(datagram) ?? [];
    const [type, host, port] = question?.args ?? [];
    if (question?.address !== '/status/get' || typeof host !== 'string' || typeof port !== 'number') return;
    if (Date.now() < this.silentUntil || !types.includes(`${type}`)) return;
    if (this.lostQuestions > 0) {
      this.lostQuestions -= 1;
      return;
    }
    const answer = encodeOsc(`/status/${type}`, [JSON.stringify(this.stateOf(`${type}`))]);
    if (!this.isMasked) {
      socket.send(answer, port, host);
      return;
    }
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.9', () => other.send(answer, port, host, () => other.close()));
  }

  private stateOf(type: string): Json {
    if (type === 'recording') return { recordStatus: { recording: this.isRecording, timeRecording: '00:42' } };
    if (type === 'streaming') return { serverList: this.servers };
    const { sceneList } = recorded('v1/scene') as { sceneList: Json[] };
    return { sceneList: sceneList.map((scene, at) => ({ ...scene, isPGM: at === this.scene })) };
  }
}
