/**
 * All channels of the engine: the hub's channels, source channels that provide an input to other channels, and probe
 * channels on which a source is tested.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { ChannelStatus } from '../../media/protocol/reported.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { createRateRing } from '../connection/rate.ts';
import type { PictureSource } from '../preview/key-picture.ts';
import type { Channel } from './channel.ts';
import { type Owners, type PlannedChannel, planChannels } from './input-sharing.ts';
import { createKeyTable, type KeyOwner } from './key-table.ts';

export class ChannelRegistry {
  /** Total bitrates in kbit/s, without probe channels. */
  readonly rates = { in: createRateRing(), out: createRateRing() };
  readonly probeChannels = new Map<number, Channel>();
  private channels = new Map<number, Channel>();
  private sourceChannels = new Map<number, Channel>();
  private owners: Owners = new Map();
  private readonly keys = createKeyTable();
  private readonly create: (planned: PlannedChannel) => Channel;

  constructor(create: (planned: PlannedChannel) => Channel) {
    this.create = create;
  }

  /** Applies the desired state. Unchanged channels are not touched. */
  apply(desired: readonly DesiredChannel[]): void {
    const { channels, sourceChannels, owners } = planChannels(desired, this.owners);
    this.owners = owners;
    const planned = [...channels, ...sourceChannels];
    this.keys.replace(planned);
    const found = new Map([...this.channels, ...this.sourceChannels]);
    const kept = new Set(planned.map(({ id }) => id));
    // Close deleted channels first, so that they release their inputs before other channels take them over.
    for (const [id, channel] of found) if (!kept.has(id)) channel.close('channel deleted');
    for (const one of planned) found.get(one.id)?.apply(one);
    const put = (one: PlannedChannel) => [one.id, found.get(one.id) ?? this.create(one)] as const;
    this.channels = new Map(channels.map(put));
    this.sourceChannels = new Map(sourceChannels.map(put));
  }

  /** Returns a channel of the hub. */
  channel(id: number): Channel | undefined {
    return this.channels.get(id);
  }

  /** Returns a channel that other channels may read from: a hub channel or a source channel. */
  sourceChannel(id: number): Channel | undefined {
    return this.channels.get(id) ?? this.sourceChannels.get(id);
  }

  any(id: number): Channel | undefined {
    return this.sourceChannel(id) ?? this.probeChannels.get(id);
  }

  byKey(key: string): { readonly channel: Channel; readonly kind: KeyOwner['kind'] } | undefined {
    const owner = this.keys.find(key);
    const channel = owner && this.any(owner.channelId);
    return channel && { channel, kind: owner.kind };
  }

  /** Returns the channel that currently carries this stored input. */
  onAir(inputId: number, source: FetchSource): Channel | undefined {
    const has = ({ config, input }: Channel) =>
      config.inputId === inputId && isDeepStrictEqual(config.input, source) && input.current !== undefined;
    return inputId === 0 ? undefined : [...this.all()].find(has);
  }

  /** An input of a channel with a backup has the picture of its source channel. */
  pictureSource(name: string): PictureSource | undefined {
    const [id, role] = name.split('-');
    const own = this.channels.get(Number(id));
    const input = own?.config.input;
    const isMain = role === 'main';
    const ofInput = input?.protocol === 'failover' && this.sourceChannel(isMain ? input.main : input.backup);
    const channel = role === undefined ? own : ofInput || undefined;
    return channel && { shape: channel.input.current?.shape, flv: channel.flv, ts: channel.ts };
  }

  *all(): Iterable<Channel> {
    yield* this.channels.values();
    yield* this.sourceChannels.values();
    yield* this.probeChannels.values();
  }

  status(): ChannelStatus[] {
    return [...this.channels.values()].map((channel) => channel.status());
  }

  /** Called once per second. */
  tick(nowMs: number): void {
    const sum = { in: 0, out: 0 };
    for (const channel of this.channels.values()) {
      channel.tick(nowMs);
      // A shared input is counted once, at the channel that opened it.
      if (!channel.input.isShared) sum.in += channel.input.kbps;
      sum.out += channel.outKbps;
    }
    for (const sourceChannel of this.sourceChannels.values()) {
      sourceChannel.tick(nowMs);
      sum.in += sourceChannel.input.kbps;
    }
    this.rates.in.push(sum.in);
    this.rates.out.push(sum.out);
  }

  close(reason: string): void {
    for (const channel of this.all()) channel.close(reason);
  }
}
