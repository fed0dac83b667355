/**
 * Every channel of the engine: those of the hub, feeders that have an input for others, and those backstage that a
 * source is tested on.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FetchSource } from './addresses.ts';
import type { Channel } from './channel.ts';
import { createKeyTable, type KeyOwner } from './key-table.ts';
import type { PictureSource } from './preview/key-picture.ts';
import { createRateRing } from './rate.ts';
import { type Owners, type StagedChannel, stage } from './staging.ts';
import type { ChannelStatus } from './status.ts';
import type { WantedChannel } from './wanted.ts';

export class Cast {
  /** Of all of them together. */
  readonly rates = { in: createRateRing(), out: createRateRing() };
  readonly backstage = new Map<number, Channel>();
  private channels = new Map<number, Channel>();
  private feeders = new Map<number, Channel>();
  private owners: Owners = new Map();
  private readonly keys = createKeyTable();
  private readonly create: (staged: StagedChannel) => Channel;

  constructor(create: (staged: StagedChannel) => Channel) {
    this.create = create;
  }

  /** Moves to what is wanted; what didn't change isn't touched. */
  apply(wanted: readonly WantedChannel[]): void {
    const { channels, feeders, owners } = stage(wanted, this.owners);
    this.owners = owners;
    const staged = [...channels, ...feeders];
    this.keys.replace(staged);
    const found = new Map([...this.channels, ...this.feeders]);
    const kept = new Set(staged.map(({ id }) => id));
    // What gives an input up comes before what takes it over.
    for (const [id, channel] of found) if (!kept.has(id)) channel.close('channel deleted');
    for (const one of staged) found.get(one.id)?.apply(one);
    const put = (one: StagedChannel) => [one.id, found.get(one.id) ?? this.create(one)] as const;
    this.channels = new Map(channels.map(put));
    this.feeders = new Map(feeders.map(put));
  }

  /** One that the hub knows. */
  channel(id: number): Channel | undefined {
    return this.channels.get(id);
  }

  /** For those that take its stream. */
  feeder(id: number): Channel | undefined {
    return this.channels.get(id) ?? this.feeders.get(id);
  }

  any(id: number): Channel | undefined {
    return this.feeder(id) ?? this.backstage.get(id);
  }

  byKey(key: string): { readonly channel: Channel; readonly kind: KeyOwner['kind'] } | undefined {
    const owner = this.keys.find(key);
    const channel = owner && this.any(owner.channelId);
    return channel && { channel, kind: owner.kind };
  }

  /** Who has this stored input on air. */
  onAir(inputId: number, source: FetchSource): Channel | undefined {
    const has = ({ config, input }: Channel) =>
      config.inputId === inputId && isDeepStrictEqual(config.input, source) && input.current !== undefined;
    return inputId === 0 ? undefined : [...this.all()].find(has);
  }

  pictureSource(id: number): PictureSource | undefined {
    const channel = this.channels.get(id);
    return channel && { shape: channel.input.current?.shape, flv: channel.flv, ts: channel.ts };
  }

  *all(): Iterable<Channel> {
    yield* this.channels.values();
    yield* this.feeders.values();
    yield* this.backstage.values();
  }

  status(): ChannelStatus[] {
    return [...this.channels.values()].map((channel) => channel.status());
  }

  /** Once a second. */
  tick(nowMs: number): void {
    const sum = { in: 0, out: 0 };
    for (const channel of this.channels.values()) {
      channel.tick(nowMs);
      // What is tapped came in once.
      if (!channel.input.isTapped) sum.in += channel.input.kbps;
      sum.out += channel.outKbps;
    }
    for (const feeder of this.feeders.values()) {
      feeder.tick(nowMs);
      sum.in += feeder.input.kbps;
    }
    this.rates.in.push(sum.in);
    this.rates.out.push(sum.out);
  }

  close(reason: string): void {
    for (const channel of this.all()) channel.close(reason);
  }
}
