/** Simulates a Pro Convert encoder and a first-generation decoder, which really plays the streams of its presets. */
import { type DeviceOptions, type Json, SimulatedDevice } from './device.ts';
import type { MediaProcess } from './publisher.ts';
import { recorded, recordedPart } from './recorded.ts';

export interface MwapiOptions extends DeviceOptions {
  readonly kind: 'encoder' | 'decoder';
  /** Milliseconds until a decoder shows another channel. */
  readonly switchMs?: number;
  /** Plays a stream; without it, every source counts as connected at once. */
  readonly play?: (url: string) => MediaProcess;
}

interface Channel {
  readonly name: string;
  readonly url: string;
}

const invalidArgument = 7;
const unsupported = 9;
const notFound = 16;
const tooMany = 17;
const exists = 22;
const maxChannels = 64;

export class MwapiDevice extends SimulatedDevice {
  protected readonly path = '/mwapi';
  protected readonly resultField = 'status';
  protected readonly codes = { signedOut: 37, wrongPassword: 36 };
  protected readonly uploadMethod = 'upload-update-file';
  protected readonly firmwareCodes = {
    ...{ mismatch: 39, badFile: 23, noSpace: 29, busy: 11, missing: notFound, writeFailed: 15 },
  };
  readonly kind: MwapiOptions['kind'];
  channels: Channel[];
  /** `url` as the preset had it when it was selected: a later change has no effect on what is shown. */
  private selected: { readonly name: string; readonly isNdi: boolean; readonly url: string | undefined };
  private readonly switchMs: number;
  private readonly play: MwapiOptions['play'];
  private player: MediaProcess | undefined;

  constructor(options: MwapiOptions) {
    const { 'fw-version': version } = recordedPart(`mwapi/${options.kind}.get-summary-info`, 'device');
    super({ ...options, firmwareVersion: `${version}`, restartsItself: false });
    this.kind = options.kind;
    this.switchMs = options.switchMs ?? 0;
    this.play = options.play;
    this.channels = [...(recorded('mwapi/decoder.list-channels').channels as Channel[])];
    this.selected = {
      name: `${recordedPart('mwapi/decoder.get-summary-info', 'ndi').name}`,
      isNdi: true,
      url: undefined,
    };
  }

  override async close(): Promise<void> {
    const { player } = this;
    this.player = undefined;
    await player?.close();
  }

  protected answer(method: string, params: URLSearchParams): Json | number {
    switch (method) {
      case 'get-summary-info':
        return this.summary();
      case 'get-update-state':
        return this.updateState();
      case 'update':
        return params.get('mode') === 'manual' ? this.beginUpdate() : invalidArgument;
      case 'set-eth-config':
        return this.rename(params.get('name') ?? '');
      case 'reboot':
        this.reboot();
        return 0;
      default:
        return this.kind === 'decoder' ? this.answerDecoder(method, params) : unsupported;
    }
  }

  private answerDecoder(method: string, params: URLSearchParams): Json | number {
    const [name, url] = [params.get('name') ?? '', params.get('url') ?? ''];
    const known = this.channels.find((channel) => channel.name === name);
    switch (method) {
      case 'list-channels':
        return { channels: this.channels };
      case 'get-channel':
        return { name: this.selected.name, 'ndi-name': this.selected.isNdi };
      case 'add-channel':
        if (known !== undefined) return exists;
        if (this.channels.length >= maxChannels) return tooMany;
        return this.putChannel({ name, url }, this.channels);
      case 'modify-channel': {
        if (known === undefined) return notFound;
        const others = this.channels.filter((channel) => channel !== known);
        return this.putChannel({ name: params.get('new-name') ?? name, url }, others);
      }
      case 'del-channel':
        if (known === undefined) return notFound;
        this.channels = this.channels.filter((channel) => channel !== known);
        return 0;
      case 'set-channel': {
        const isNdi = params.get('ndi-name') === 'true';
        if (!isNdi && known === undefined) return notFound;
        const timer = setTimeout(() => this.select({ name, isNdi }), this.switchMs);
        timer.unref();
        return 0;
      }
      default:
        return unsupported;
    }
  }

  private putChannel(channel: Channel, others: readonly Channel[]): number {
    if (channel.name === '' || channel.name.length > 120 || URL.parse(channel.url) === null) return invalidArgument;
    this.channels = [...others, channel];
    return 0;
  }

  private select({ name, isNdi }: { readonly name: string; readonly isNdi: boolean }): void {
    if (name === this.selected.name && isNdi === this.selected.isNdi) return;
    const url = isNdi ? undefined : this.channels.find((channel) => channel.name === name)?.url;
    this.selected = { name, isNdi, url };
    const { player } = this;
    this.player = this.play && url !== undefined ? this.play(playable(url)) : undefined;
    player?.close().catch(() => {});
  }

  private rename(name: string): number {
    if (name === '' || name.length > 63) return invalidArgument;
    this.name = name;
    // A decoder restarts; an encoder only stops answering.
    if (this.kind === 'decoder') this.reboot();
    else this.beSilent(this.renameMs);
    return 0;
  }

  private updateState(): Json {
    const base = recorded(`mwapi/${this.kind}.get-update-state-updating`);
    const { state, percent, version } = this.firmware;
    if (this.updatePercent !== undefined || state === 'writing')
      return { ...base, 'cur-ver': version, 'step-percent': this.updatePercent ?? percent };
    if (state === 'failed')
      return { state: 'failed', 'cur-ver': version, 'error-status': this.firmwareCodes.writeFailed };
    return { state: state === 'written' ? 'completed' : 'idle', 'cur-ver': version };
  }

  private summary(): Json {
    const isLost = this.kind === 'encoder' && !this.hasSignal;
    const name = `mwapi/${this.kind}.get-summary-info${isLost ? '-no-signal' : ''}`;
    const usual = recordedPart(`mwapi/${this.kind}.get-summary-info`, 'device');
    const device = recordedPart(name, 'device');
    return {
      ...recorded(name),
      device: {
        ...usual,
        ...(this.kind === 'encoder' && { 'input-state': device['input-state'] }),
        name: this.name,
        'serial-no': this.sn,
        'fw-version': this.firmware.version,
        'up-time': this.uptimeSeconds,
      },
      ...(this.address !== undefined && {
        ethernet: { ...recordedPart(name, 'ethernet'), 'ip-addr': this.address },
      }),
      ndi: this.kind === 'encoder' ? recordedPart(name, 'ndi') : this.decoded(recordedPart(name, 'ndi')),
    };
  }

  private decoded(base: Json): Json {
    const { name, isNdi, url } = this.selected;
    const isPlaying = this.player === undefined || this.player.isConnected();
    return {
      ...base,
      name,
      url: isNdi && name !== '' ? base.url : (url ?? ''),
      connected: name !== '' && this.hasSignal && isPlaying,
    };
  }
}

/** The address of a preset as FFmpeg takes it: without the options of the decoder, and with microseconds. */
function playable(url: string): string {
  const [address = '', query = ''] = url.split('?', 2);
  const options = query.split('&').flatMap((option) => {
    const [name, value = ''] = option.split('=', 2);
    if (option === '' || name?.startsWith('mw-')) return [];
    return name === 'latency' ? [`latency=${Number(value) * 1000}`] : [option];
  });
  return options.length === 0 ? address : `${address}?${options.join('&')}`;
}
