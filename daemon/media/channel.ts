/**
 * One channel of the engine: an input, the two buses, the conversions between them, outputs and clients. It holds what
 * is wanted of it and reports what is; it reaches protocols only through the ports handed in.
 */

import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import type { OutputTarget } from './addresses.ts';
import type { BridgeSetting } from './bridges.ts';
import { type ChannelClients, type Client, createChannelClients } from './channel-clients.ts';
import { ChannelInput, type OpenInput, type Publisher } from './channel-input.ts';
import { type ChannelOutputs, createChannelOutputs } from './channel-outputs.ts';
import { type Conversions, createConversions } from './conversion.ts';
import { createFeed, type Feed, type FeedPort } from './endpoint/feed.ts';
import { createFlvBus } from './flv/flv-bus.ts';
import type { Attempt, AttemptEvents } from './leg.ts';
import type { SpsReader } from './mpegts/stream-facts.ts';
import { createTsBus } from './mpegts/ts-bus.ts';
import type { PlayerPlaces } from './player-places.ts';
import type { ProcessLogEntry } from './protocol.ts';
import type { QualityMeter } from './quality/meter.ts';
import { createRateMeter, createRateRing } from './rate.ts';
import type { StagedChannel } from './staging.ts';
import type { ChannelStatus, LegName, LegReason } from './status.ts';

/** The two protocols that publishers and players may come by. */
type Door = 'rtmp' | 'srt';
/** Players come by more, which have no switch of their own. */
type PlayDoor = Client['protocol'];
const isDoor = (protocol: string): protocol is Door => protocol === 'rtmp' || protocol === 'srt';
/** The endpoints that fan a channel out. */
type FedBy = 'srt' | 'udp';

export interface ChannelPorts {
  readonly log: Log;
  readonly bridge: Omit<BridgeSetting, 'id' | 'onChange' | 'log'>;
  readonly feeds: Readonly<Record<FedBy, FeedPort>>;
  readonly readSps: SpsReader;
  /** Shared by all channels. */
  readonly playerPlaces: PlayerPlaces;
  readonly openOutput: (channel: Channel, outputId: number, target: OutputTarget, events: AttemptEvents) => Attempt;
  readonly openInput: (channel: Channel, ...rest: Parameters<OpenInput>) => Attempt;
  /** Something that the hub should hear of at once. */
  readonly onChange: () => void;
}

export class Channel {
  readonly id: number;
  readonly flv = createFlvBus();
  readonly ts = createTsBus();
  readonly input: ChannelInput;
  readonly clients: ChannelClients;
  readonly outputs: ChannelOutputs;
  /** What native endpoints fan out for this channel. */
  readonly feeds: Readonly<Record<FedBy, Feed>>;
  readonly rates = { in: createRateRing(), out: createRateRing() };
  private readonly outMeter = createRateMeter();
  private readonly ports: ChannelPorts;
  private readonly conversions: Conversions;
  private wanted: StagedChannel;
  private readonly receivers: Record<FedBy, number> = { srt: 0, udp: 0 };
  private readonly watchers = new Set<() => void>();
  private holds = 0;
  private neededAt = Number.NEGATIVE_INFINITY;

  constructor(wanted: StagedChannel, ports: ChannelPorts) {
    this.id = wanted.id;
    this.wanted = wanted;
    this.ports = ports;
    const { log } = ports;
    const onChange = () => {
      this.reconsider();
      for (const look of [...this.watchers]) look();
      ports.onChange();
    };
    const open: OpenInput = (source, events) => ports.openInput(this, source, events);
    this.input = new ChannelInput({ channelId: this.id, log, open, onChange });
    this.clients = createChannelClients(ports.playerPlaces);
    this.outputs = createChannelOutputs({
      channelId: this.id,
      log,
      onChange: ports.onChange,
      open: (outputId, target, events) => ports.openOutput(this, outputId, target, events),
    });
    this.feeds = {
      srt: createFeed(this.id, this.ts, ports.feeds.srt, { start: 'newest', log }),
      // Without flow control a fast start would be a burst.
      udp: createFeed(this.id, this.ts, ports.feeds.udp, { start: 'next', log }),
    };
    const setting = { ...ports.bridge, log: log.in(`channel ${this.id}`), onChange: ports.onChange };
    this.conversions = createConversions({ ...setting, id: `c${this.id}` }, this.flv, this.ts, ports.readSps);
    // What fills a bus for its first reader shall not wait for the next second.
    for (const { ring } of [this.flv, this.ts]) ring.onReader = () => this.reconsider();
    this.apply(wanted);
  }

  get log(): Log {
    return this.ports.log;
  }

  get config(): StagedChannel {
    return this.wanted;
  }

  apply(wanted: StagedChannel): void {
    const before = this.wanted;
    this.wanted = wanted;
    this.applyInput();
    const closed = (door: PlayDoor): string | undefined => {
      if (!wanted.enabled) return 'channel switched off';
      if (this.refusesPlay(door)) return `${door} switched off`;
      return wanted.playKey !== before.playKey ? 'play key changed' : undefined;
    };
    for (const door of ['rtmp', 'srt', 'hls', 'http'] as const) {
      const reason = closed(door);
      const isMeant = (client: Client) => client.protocol === door && client.outputId === undefined;
      if (reason) this.clients.closeWhere(isMeant, reason);
    }
    const publisher = this.input.current;
    if (publisher && this.input.isPush && isDoor(publisher.protocol)) {
      if (!wanted.allow[publisher.protocol]) publisher.close(`${publisher.protocol} switched off`);
      else if (wanted.pushKey !== before.pushKey) publisher.close('push key changed');
    }
    this.outputs.apply(wanted.outputs);
    this.reconsider();
  }

  /** Calls after every change of the input's state, until the answer is called. */
  watchInput(look: () => void): () => void {
    this.watchers.add(look);
    return () => this.watchers.delete(look);
  }

  /** The input is needed, until the answer is called. */
  holdInput(): () => void {
    this.holds++;
    this.applyInput();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holds--;
      this.applyInput();
    };
  }

  /** Why somebody who has the right key may not publish, or undefined. */
  refusesPublish(door: Door): 'off' | 'busy' | undefined {
    if (!this.hasInputOn || !this.wanted.allow[door] || !this.input.isPush) return 'off';
    const mayReplace = this.wanted.takeover || this.input.isSilent;
    return this.input.current && !mayReplace ? 'busy' : undefined;
  }

  refusesPlay(door: PlayDoor): 'off' | undefined {
    const isAllowed = isDoor(door) ? this.wanted.allow[door] : true;
    return this.wanted.enabled && isAllowed ? undefined : 'off';
  }

  beginPublish(publisher: Publisher): 'busy' | undefined {
    const refused = this.input.begin(publisher, this.wanted);
    if (refused) return refused;
    if (publisher.shape === 'ts') {
      this.ts.ring.clear();
      this.ts.tables = new Uint8Array(0);
    }
    this.fill();
    this.conversions.toFlv.restart();
    this.conversions.toTs.restart();
    return undefined;
  }

  endPublish(publisher: Publisher, reason: LegReason): void {
    if (this.input.current !== publisher) return;
    if (publisher.shape === 'ts') this.ts.ring.endEntry();
    this.input.end(publisher, reason);
    this.fill();
  }

  addClient(client: Client): ReturnType<ChannelClients['add']> {
    const entry = this.clients.add(client);
    if ('refused' in entry) {
      const { protocol, peer } = client;
      this.log.warn('player refused', { channel: this.id, protocol, peer, reason: entry.refused });
      return entry;
    }
    this.reconsider();
    this.ports.onChange();
    return {
      id: entry.id,
      remove: () => {
        entry.remove();
        this.ports.onChange();
      },
    };
  }

  /** Counts receivers at an endpoint, so that its feed runs only for somebody. */
  addReceiver(endpoint: FedBy): { gone(): void } {
    this.receivers[endpoint]++;
    this.fill();
    this.reconsider();
    let isGone = false;
    return {
      gone: () => {
        if (isGone) return;
        isGone = true;
        this.receivers[endpoint]--;
        this.fill();
      },
    };
  }

  /** Whether the stream can't be put into FLV or TS for those who want that shape. */
  isImpossible(shape: 'flv' | 'ts'): boolean {
    return this.input.current?.shape !== shape && this.conversions[shape === 'flv' ? 'toFlv' : 'toTs'].isImpossible;
  }

  /** Why those who want that shape get the picture alone. */
  lackIn(shape: 'flv' | 'ts'): 'soundLeftOut' | undefined {
    if (this.input.current?.shape === shape) return undefined;
    return this.conversions[shape === 'flv' ? 'toFlv' : 'toTs'].leavesOutSound ? 'soundLeftOut' : undefined;
  }

  tick(nowMs: number): void {
    this.input.tick(nowMs);
    this.outputs.tick(nowMs);
    this.clients.tick(nowMs);
    this.flv.ring.trim();
    this.ts.ring.trim();
    this.reconsider();
    this.outMeter.tick(this.outputs.bytes + this.clients.bytes, nowMs);
    this.rates.in.push(this.hasInputOn ? this.input.kbps : Number.NaN);
    this.rates.out.push(this.wanted.enabled ? this.outMeter.kbps : Number.NaN);
  }

  get outKbps(): number {
    return this.outMeter.kbps;
  }

  status(): ChannelStatus {
    const failover = this.input.failover();
    return {
      id: this.id,
      input: this.input.status(),
      ...(failover && { failover }),
      outputs: this.outputs.status(),
      clients: this.clients.status(),
    };
  }

  /** Undefined when there is no such connection. */
  quality(leg: LegName): QualityMeter | undefined {
    if (leg === 'input') return this.input.quality;
    return 'output' in leg ? this.outputs.quality(leg.output) : this.clients.quality(leg.client);
  }

  logs(): ProcessLogEntry[] {
    return [this.conversions.toTs.log(), this.conversions.toFlv.log()].filter((entry) => entry !== undefined);
  }

  close(reason: string): void {
    this.input.close(reason);
    this.outputs.close(reason);
    this.clients.closeWhere(() => true, reason);
    this.feeds.srt.close();
    this.feeds.udp.close();
    this.conversions.toTs.close();
    this.conversions.toFlv.close();
    this.ts.ring.clear();
    this.flv.ring.clear();
  }

  private get hasInputOn(): boolean {
    return this.wanted.enabled || this.wanted.feedsOthers === true || this.holds > 0;
  }

  private applyInput(): void {
    this.input.apply(this.hasInputOn, this.wanted.input);
  }

  /**
   * Moves what is towards what is wanted: outputs run while there is input, conversions while somebody reads the far
   * side.
   */
  private reconsider(): void {
    this.outputs.reconsider(this.wanted.enabled, this.input.isHeld);
    const shape = this.input.current?.shape;
    if (shape === undefined) {
      if (!this.input.isHeld) this.stopConversions();
      return;
    }
    const [conversion, other] =
      shape === 'flv'
        ? [this.conversions.toTs, this.conversions.toFlv]
        : [this.conversions.toFlv, this.conversions.toTs];
    const readers = shape === 'flv' ? this.ts.ring.subscribers : this.flv.ring.subscribers;
    const now = performance.now();
    if (readers > 0) this.neededAt = now;
    other.want(false);
    conversion.want(now - this.neededAt < timing.conversion.lingerMs);
    this.input.current?.pace?.(this.ts.ring.subscribers > 0);
  }

  /** Lets the feeds run that have receivers and aren't filled inside the endpoint. */
  private fill(): void {
    const linkedBy = this.input.current?.linkedBy;
    for (const fedBy of ['srt', 'udp'] as const) this.feeds[fedBy].want(linkedBy === fedBy ? 0 : this.receivers[fedBy]);
  }

  private stopConversions(): void {
    this.conversions.toTs.want(false);
    this.conversions.toFlv.want(false);
  }
}
