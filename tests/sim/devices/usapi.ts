/** Simulates Ultra Encode AIO and Ultra Stream SDI: answers from their state, and sends real streams when live. */

import { type DeviceOptions, type Json, SimulatedDevice } from './device.ts';
import { currentPicture } from './pictures.ts';
import type { MediaProcess } from './publisher.ts';
import { recorded, recordedPart } from './recorded.ts';

export interface UsapiOptions extends DeviceOptions {
  readonly kind: 'encode' | 'stream';
  /** Milliseconds from the answer to `set-name` until `get-status` has the name. */
  readonly showNameMs?: number;
  /** Sends to a server; without it, every server counts as connected at once. */
  readonly publish?: (target: readonly string[]) => MediaProcess;
}

export interface Server {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  'is-use': number;
  readonly [field: string]: string | number;
}

const running = 2;
const connected = 22;
const connecting = 23;
const idle = 27;
const maxServers = 16;
const wrongParameter = -10;
const notFound = -14;

export class UsapiDevice extends SimulatedDevice {
  protected readonly path = '/usapi';
  protected readonly resultField = 'result';
  protected readonly codes = { signedOut: -17, wrongPassword: -1 };
  protected readonly uploadMethod = 'upload-update-file';
  protected readonly firmwareCodes = {
    ...{ mismatch: -34, badFile: -15, noSpace: -16, busy: -9, missing: notFound, writeFailed: -5 },
  };
  readonly kind: UsapiOptions['kind'];
  hasDisk = true;
  /** `result` of a recording that does not run; undefined: that of an idle device. */
  recordResult: number | undefined;
  servers: Server[] = [];
  private recordingSince: number | undefined;
  private livingSince: number | undefined;
  private shownName: string;
  private readonly showNameMs: number;
  private readonly publish: UsapiOptions['publish'];
  private readonly publishers = new Map<number, MediaProcess>();

  constructor(options: UsapiOptions) {
    const { 'firmware-ver-s': version } = recordedPart(`usapi/${options.kind}.get-info`, 'product');
    super({ ...options, firmwareVersion: `${version}`, restartsItself: true });
    this.kind = options.kind;
    this.shownName = options.name;
    this.showNameMs = options.showNameMs ?? 0;
    this.publish = options.publish;
  }

  /** Sets the state of the recorded answers of this family. */
  asRecorded({ live = false, recording = false } = {}): this {
    const settings = recorded(`usapi/${this.kind}.get-settings`);
    this.servers = structuredClone(settings['stream-server']) as Server[];
    this.livingSince = live ? Date.now() - 652_310 : undefined;
    this.recordingSince = recording ? Date.now() - 120_040 : undefined;
    return this;
  }

  override async close(): Promise<void> {
    this.livingSince = undefined;
    await this.applyPublishers();
  }

  protected override file(path: string): Response | undefined {
    if (!path.startsWith('/tmp/sbox-snapshot/')) return undefined;
    return new Response(currentPicture(), { headers: { 'content-type': 'image/jpeg' } });
  }

  protected answer(method: string, params: URLSearchParams): Json | number {
    switch (method) {
      case 'get-info':
        return this.info();
      case 'get-status':
        return this.status();
      case 'get-settings':
        return {
          ...recorded(`usapi/${this.kind}.get-settings`),
          name: this.name,
          'stream-server': this.servers,
        };
      case 'get-servers':
        return { 'stream-server': this.servers };
      case 'set-name':
        return this.rename(params.get('name') ?? '');
      case 'reboot':
        this.reboot();
        this.livingSince = undefined;
        this.recordingSince = undefined;
        return 0;
      case 'update':
        return params.get('mode') === 'upload' ? this.beginUpdate() : wrongParameter;
      case 'clear-upgrade':
        this.firmware.clear();
        return 0;
      case 'start-rec':
        if (!this.hasDisk) return -5;
        if (this.recordingSince !== undefined) return 1;
        this.recordingSince = Date.now();
        return 0;
      case 'stop-rec':
        if (this.recordingSince === undefined) return 1;
        this.recordingSince = undefined;
        return 0;
      case 'start-live':
        if (this.livingSince !== undefined) return 1;
        if (!this.servers.some((server) => server['is-use'] === 1)) return -20;
        this.livingSince = Date.now();
        return this.applied(0);
      case 'stop-live':
        if (this.livingSince === undefined) return 1;
        this.livingSince = undefined;
        return this.applied(0);
      default:
        return this.changeServers(method, params);
    }
  }

  private changeServers(method: string, params: URLSearchParams): number {
    const id = Number(params.get('id'));
    const server = this.servers.find((one) => one.id === id);
    if (method === 'add-server') {
      if (this.servers.length >= maxServers) return -29;
      const taken = new Set(this.servers.map((one) => one.id));
      let free = 0;
      while (taken.has(free)) free += 1;
      return this.putServer(free, params, this.servers);
    }
    if (!['set-server', 'del-server', 'enable-server'].includes(method)) return notFound;
    if (server === undefined) return notFound;
    const others = this.servers.filter((one) => one !== server);
    if (method === 'set-server') return server['is-use'] === 1 ? -9 : this.putServer(id, params, others);
    if (method === 'enable-server') server['is-use'] = Number(params.get('is-use'));
    else this.servers = others;
    return this.applied(0);
  }

  private putServer(id: number, params: URLSearchParams, others: readonly Server[]): number {
    const numeric = /^-?\d+$/;
    // Names, keys and addresses of digits stay text.
    const texts = new Set(['name', 'key', 'url', 'stream-id', 'aes-word']);
    const fields = [...params].filter(([field]) => field !== 'method' && field !== 'id');
    const typed = fields.map(([field, value]) => [
      field,
      numeric.test(value) && !texts.has(field) ? Number(value) : value,
    ]);
    const server = { ...Object.fromEntries(typed), id } as Server;
    if (typeof server.name !== 'string' || server.name === '' || !Number.isInteger(server.type)) return wrongParameter;
    if (this.kind === 'stream' && server.type > 3) return wrongParameter;
    if (others.some(({ name }) => name === server.name)) return -27;
    if (others.some((one) => destinationOf(one) === destinationOf(server))) return wrongParameter;
    this.servers = [...others, { ...server, 'is-use': 0 }].sort((a, b) => a.id - b.id);
    return 0;
  }

  private rename(name: string): number {
    if (!/^[\w .\-+'[\](),]{1,32}$/.test(name) || name !== name.trim()) return -28;
    this.name = name;
    const timer = setTimeout(() => {
      this.shownName = name;
    }, this.showNameMs);
    timer.unref();
    return 0;
  }

  private info(): Json {
    const name = `usapi/${this.kind}.get-info`;
    const product = { ...recordedPart(name, 'product'), sn: this.sn, 'firmware-ver-s': this.firmware.version };
    return { ...recorded(name), product };
  }

  private status(): Json {
    const base = recorded(this.kind === 'encode' ? 'usapi/encode.get-status-idle' : 'usapi/stream.get-status');
    const updating = this.updatePercent !== undefined || this.firmware.state === 'writing';
    const isRecording = this.recordingSince !== undefined;
    const isLiving = this.livingSince !== undefined;
    const bits = [isRecording && 0x2, isLiving && 0x4, this.hasDisk && 0x10, updating && 0x4000, 0x10000];
    const upgrade = base['upgrade-status'] as Json;
    const percent = this.updatePercent ?? this.firmware.percent;
    const system = base.sysstat as Json | undefined;
    return {
      ...base,
      'cur-status': bits.reduce<number>((mask, bit) => mask | Number(bit), 0),
      'box-name': this.shownName,
      ...(this.address !== undefined && { eth: { ...(base.eth as Json), ip: this.address } }),
      ...(system && { sysstat: { ...system, uptime: this.uptimeSeconds } }),
      'live-status': this.kind === 'encode' ? this.liveStatus() : this.twoLiveStatus(),
      'rec-status': this.recordStatus(base['rec-status'] as Json),
      ...(updating && { 'upgrade-status': { ...upgrade, step: 2, percent, result: running } }),
      ...(this.firmware.state === 'failed' && {
        'upgrade-status': { ...upgrade, result: this.firmwareCodes.writeFailed },
      }),
      ...(!this.hasSignal && { 'input-signal': { ...(base['input-signal'] as Json), status: 0, cx: 0, cy: 0 } }),
      ...(!this.hasDisk && { 'disk-info': [] }),
    };
  }

  private liveStatus(): Json {
    const used = this.livingSince === undefined ? [] : this.servers.filter((server) => server['is-use'] === 1);
    const runMs = this.runMs(this.livingSince);
    const live = used.map((server) => {
      const result = this.resultOf(server);
      const isOn = result === connected;
      return {
        ...{ id: server.id, type: server.type, 'is-use': 1, 'is-skd-running': 0, name: server.name },
        ...{ 'run-ms': runMs, result, 'stream-index': server['stream-index'] ?? 0, net: 1 },
        'inst-bps': isOn ? 1_052_639 : 0,
        ...(server.type === 120 && { 'rrt-ms': 18, 'ip-addr': server.url, port: server.port }),
      };
    });
    return { result: this.livingSince === undefined ? idle : running, 'run-ms': runMs, live };
  }

  private twoLiveStatus(): Json {
    const used = this.livingSince === undefined ? [] : this.servers.filter((server) => server['is-use'] === 1);
    const [first, second] = used.map((server) => this.resultOf(server));
    const bps = (result: number | undefined) => (result === connected ? 4_120_330 : 0);
    return {
      ...{ result: first ?? idle, 'cur-bps': bps(first), 'avg-bps': bps(first), net: 1 },
      ...{ result2: second ?? idle, 'cur-bps2': bps(second), net2: second === undefined ? 0 : 1 },
      ...{ 'run-ms': this.runMs(this.livingSince), 'client-id': '' },
    };
  }

  private recordStatus(base: Json): Json {
    const [runMs, isRecording] = [this.runMs(this.recordingSince), this.recordingSince !== undefined];
    const list = isRecording ? [{ id: 1, type: 1, 'is-use': 1, result: running, 'run-ms': runMs }] : [];
    return {
      ...base,
      result: isRecording ? running : (this.recordResult ?? (this.kind === 'encode' ? idle : 0)),
      'run-ms': runMs,
      ...(this.kind === 'encode' && { rec: list }),
    };
  }

  private runMs(since: number | undefined): number {
    return since === undefined ? 0 : Date.now() - since;
  }

  private resultOf({ id }: Server): number {
    if (this.publish === undefined) return connected;
    return this.publishers.get(id)?.isConnected() ? connected : connecting;
  }

  private applied(code: number): number {
    this.applyPublishers().catch(console.error);
    return code;
  }

  /** Starts and ends the publishers, so that each used server has one while the device is live. */
  private async applyPublishers(): Promise<void> {
    const used = this.livingSince === undefined ? [] : this.servers.filter((server) => server['is-use'] === 1);
    const ending = [...this.publishers].filter(([id]) => !used.some((server) => server.id === id));
    for (const [id] of ending) this.publishers.delete(id);
    for (const server of used) {
      const target = targetOf(server);
      if (this.publish === undefined || target === undefined || this.publishers.has(server.id)) continue;
      this.publishers.set(server.id, this.publish(target));
    }
    await Promise.all(ending.map(([, publisher]) => publisher.close()));
  }
}

function destinationOf(server: Server): string {
  const { type, url, key, port } = server;
  return [type, url, key, port, server['stream-id']].join(' ');
}

/** The end of an FFmpeg command that sends to this server; undefined for protocols that are not simulated. */
function targetOf(server: Server): string[] | undefined {
  const { type, url, key, port } = server;
  if (type === 0) return ['-f', 'flv', `${url}/${key}`];
  if (type !== 120) return undefined;
  const options = new URLSearchParams({
    mode: 'caller',
    pkt_size: '1316',
    latency: `${Number(server.latency) * 1000}`,
    ...(server.aes && { pbkeylen: `${server.aes}`, passphrase: `${server['aes-word']}` }),
  });
  const host = String(url).includes(':') ? `[${url}]` : url;
  // FFmpeg does not decode it in the address.
  const streamId = ['-srt_streamid', `${server['stream-id'] ?? ''}`];
  return [...streamId, '-f', 'mpegts', `srt://${host}:${port}?${options.toString().replaceAll('+', '%20')}`];
}
