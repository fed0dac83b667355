/** Simulates an IP decoder with its list of sources, and an audio converter, which takes POST requests only. */
import { createHash } from 'node:crypto';
import { type DeviceOptions, type Json, SimulatedDevice } from './device.ts';
import { recorded } from './recorded.ts';

export interface ApiPathOptions extends DeviceOptions {
  readonly kind: 'decoder' | 'audio';
  /** Milliseconds until a decoder shows another source. */
  readonly switchMs?: number;
}

interface Source {
  readonly id: number;
  readonly name: string;
  readonly protocol: string;
  readonly type: string;
  readonly data: Json;
}

const invalidArgument = 7;
const notFound = 16;
const tooMany = 17;
const exists = 22;
const wrongPassword = 36;
const maxSources = 64;
const reads = new Set(['ping', 'system/summary', 'source/list']);

export class ApiPathDevice extends SimulatedDevice {
  protected readonly path = '/api';
  protected readonly resultField = 'status';
  protected readonly codes = { signedOut: 37, wrongPassword };
  protected readonly uploadMethod = 'system/upload-fw';
  protected readonly firmwareCodes = {
    ...{ mismatch: 39, badFile: 23, noSpace: 29, busy: 11, missing: notFound, writeFailed: 15 },
  };
  protected override readonly hasPathPerCall = true;
  protected override readonly loginMethod = 'user/login';
  readonly kind: ApiPathOptions['kind'];
  readonly sources: Source[] = [];
  /** Undefined: what was recorded; null: nothing. */
  private shown: string | null | undefined;
  private readonly switchMs: number;

  constructor(options: ApiPathOptions) {
    const { 'firmware-ver': version } = recorded(`apiPath/${options.kind}.summary`);
    super({ ...options, firmwareVersion: `${version}`, restartsItself: false });
    this.kind = options.kind;
    this.switchMs = options.switchMs ?? 0;
  }

  protected override get cookieName(): string {
    return `sid-${this.sn}`;
  }

  protected override statusOf(request: Request, method: string): number {
    const isPost = request.method === 'POST';
    if (this.kind === 'audio') return isPost ? 200 : 404;
    return isPost === reads.has(method) ? 405 : 200;
  }

  protected override codeOfLogin(params: URLSearchParams): number {
    const { user, password } = this.credentials;
    if (params.get('username') !== user) return notFound;
    const digest = createHash('sha256').update(password).digest('hex');
    return params.get('password') === digest ? 0 : wrongPassword;
  }

  protected answer(method: string, params: URLSearchParams): Json | number {
    switch (method) {
      case 'system/summary':
        return this.summary();
      case 'upgrade/state':
        return this.upgradeState();
      case 'upgrade/update':
        return params.get('is-online') === 'false' ? this.beginUpdate() : invalidArgument;
      case 'reboot':
        this.reboot();
        return { delay: 2, 'estimate-sec': 60 };
      case 'ndi/receiver-info':
        return this.kind === 'audio' ? recorded('apiPath/audio.receiver-info') : notFound;
      default:
        return this.kind === 'decoder' ? this.answerDecoder(method, params) : notFound;
    }
  }

  private answerDecoder(method: string, params: URLSearchParams): Json | number {
    switch (method) {
      case 'source/list':
        return { sources: this.sources };
      case 'source/add':
        return this.addSource(params);
      case 'source/select': {
        const isNone = Number(params.get('id')) <= 0;
        const source = this.sources.find(({ id }) => `${id}` === params.get('id'));
        if (source === undefined && !isNone) return notFound;
        const timer = setTimeout(() => {
          this.shown = source?.name ?? null;
        }, this.switchMs);
        timer.unref();
        return 0;
      }
      default:
        return notFound;
    }
  }

  private addSource(params: URLSearchParams): number {
    const [name, protocol, type] = ['name', 'protocol', 'type'].map((key) => params.get(key) ?? '') as [
      string,
      string,
      string,
    ];
    const data = JSON.parse(params.get('data') ?? '{}') as Json;
    const scheme = URL.parse(`${data.url}`)?.protocol;
    const isKnown = { rtmp: 'rtmp:', 'ts-srt': 'srt:' }[protocol] === scheme;
    if (name === '' || name.length > 63 || type !== 'url' || !isKnown) return invalidArgument;
    if (this.sources.some((source) => source.name === name)) return exists;
    if (this.sources.length >= maxSources) return tooMany;
    this.sources.push({ id: this.sources.length + 1, name, protocol, type, data });
    return 0;
  }

  private upgradeState(): Json {
    const { state, percent, version } = this.firmware;
    if (this.updatePercent !== undefined || state === 'writing')
      return { ...recorded('apiPath/upgrade-state-updating'), 'step-progress': this.updatePercent ?? percent };
    const codes = { idle: 0, written: 3, failed: -1 } as const;
    const failure = state === 'failed' && { code: this.firmwareCodes.writeFailed };
    return { ...recorded('apiPath/upgrade-state-idle'), 'cur-ver': version, state: codes[state], ...failure };
  }

  private summary(): Json {
    const base = recorded(`apiPath/${this.kind}.summary`);
    const own = {
      'device-name': this.name,
      'serial-number': this.sn,
      uptime: this.uptimeSeconds,
      'firmware-ver': this.firmware.version,
    };
    if (this.kind === 'audio') return { ...base, ...own };
    const { streams } = base.profile as { readonly streams: readonly Json[] };
    const shown = (this.shown === null ? [] : streams).map((stream) => ({
      ...stream,
      ...(this.shown !== undefined && { name: this.shown }),
      ...(!this.hasSignal && { video: { kbps: 0 } }),
    }));
    return { ...base, ...own, profile: { streams: shown } };
  }
}
