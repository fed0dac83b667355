/**
 * One channel of the engine: an input, the two buses, the remuxers between them, outputs and clients. It holds its
 * desired state and reports its actual state. It reaches protocols only through the ports passed to it.
 */

import type { Log } from '../../lib/log.ts';
import type { ChannelStatus, ConnectionName, ConnectionReason } from '../../media/protocol/reported.ts';
import type { OutputTarget } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { createRateMeter, createRateRing } from '../connection/rate.ts';
import { createFlvBus } from '../flv/flv-bus.ts';
import { createTsBus } from '../mpegts/ts-bus.ts';
import type { QualityMeter } from '../quality/meter.ts';
import { type Conversions, createConversions } from '../remux/remuxer.ts';
import { type ChannelClients, type Client, createChannelClients } from './clients.ts';
import { createFeed, type Feed, type FeedPort } from './feed.ts';
import { ChannelInput, type InputAttempt } from './input.ts';
import type { PlannedChannel, PlannedFetch, Ready } from './input-sharing.ts';
import { type ChannelOutputs, createChannelOutputs } from './outputs.ts';
import type { PlayerPlaces } from './player-places.ts';
import type { Publisher } from './publisher.ts';

/** The protocols of publishers. Each has a switch, which applies to players, too. */
type PushProtocol = keyof PlannedChannel['allow'];
/** Players may use further protocols, which have no switch of their own. */
type PlayProtocol = Client['protocol'];
/** The endpoints that distribute a channel. */
type FedBy = 'srt' | 'udp';

export interface ChannelPorts {
  readonly log: Log;
  readonly feeds: Readonly<Record<FedBy, FeedPort>>;
  /** Shared by all channels. */
  readonly playerPlaces: PlayerPlaces;
  readonly ready?: Ready;
  readonly openOutput: (channel: Channel, outputId: number, target: OutputTarget, events: AttemptEvents) => Attempt;
  readonly openInput: (channel: Channel, source: PlannedFetch, events: AttemptEvents) => InputAttempt;
  /** A change that the hub should learn of immediately. */
  readonly onChange: () => void;
}

export class Channel {
  readonly id: number;
  readonly flv = createFlvBus();
  readonly ts = createTsBus();
  readonly input: ChannelInput;
  readonly clients: ChannelClients;
  readonly outputs: ChannelOutputs;
  /** What native endpoints distribute for this channel. */
  readonly feeds: Readonly<Record<FedBy, Feed>>;
  readonly rates = { in: createRateRing(), out: createRateRing() };
  private readonly outMeter = createRateMeter();
  private readonly ports: ChannelPorts;
  private readonly conversions: Conversions;
  private desired: PlannedChannel;
  private readonly receivers: Record<FedBy, number> = { srt: 0, udp: 0 };
  private readonly watchers = new Set<() => void>();
  private holds = 0;
  private neededAt = Number.NEGATIVE_INFINITY;

  constructor(desired: PlannedChannel, ports: ChannelPorts) {
    this.id = desired.id;
    this.desired = desired;
    this.ports = ports;
    const { log, ready } = ports;
    const onChange = () => {
      this.reconsider();
      for (const look of this.watchers) look();
      ports.onChange();
    };
    this.input = new ChannelInput({
      ...{ channelId: this.id, log, ready, onChange },
      open: (source, events) => ports.openInput(this, source, events),
    });
    this.clients = createChannelClients(ports.playerPlaces);
    this.outputs = createChannelOutputs({
      channelId: this.id,
      log,
      ready,
      onChange: ports.onChange,
      open: (outputId, target, events) => ports.openOutput(this, outputId, target, events),
    });
    this.feeds = {
      srt: createFeed(this.id, this.ts, ports.feeds.srt, { start: 'newest', log }),
      // Without flow control a fast start would be a burst.
      udp: createFeed(this.id, this.ts, ports.feeds.udp, { start: 'next', log }),
    };
    const setting = { log: log.in(`channel ${this.id}`), onChange: ports.onChange };
    this.conversions = createConversions(setting, this.flv, this.ts);
    // A bus must be filled for its first reader without waiting for the next tick.
    for (const { ring } of [this.flv, this.ts]) ring.onReader = () => this.reconsider();
    this.apply(desired);
  }

  get log(): Log {
    return this.ports.log;
  }

  get config(): PlannedChannel {
    return this.desired;
  }

  apply(desired: PlannedChannel): void {
    const before = this.desired;
    this.desired = desired;
    this.applyInput();
    const closed = (protocol: PlayProtocol): string | undefined => {
      if (!desired.enabled) return 'channel switched off';
      if (this.refusesPlay(protocol)) return `${protocol} switched off`;
      return desired.playKey !== before.playKey ? 'play key changed' : undefined;
    };
    this.clients.close((client) => (client.outputId === undefined ? closed(client.protocol) : undefined));
    const publisher = this.input.current;
    if (publisher && this.input.isPush && this.hasSwitch(publisher.protocol)) {
      if (!desired.allow[publisher.protocol]) publisher.close(`${publisher.protocol} switched off`);
      else if (desired.pushKey !== before.pushKey) publisher.close('push key changed');
    }
    this.outputs.apply(desired.outputs);
    this.reconsider();
  }

  /** Calls `look` after every change of the input's state, until the returned function is called. */
  watchInput(look: () => void): () => void {
    this.watchers.add(look);
    return () => this.watchers.delete(look);
  }

  /** Keeps the input open until the returned function is called. */
  holdInput(): () => void {
    this.holds++;
    this.applyInput();
    return once(() => {
      this.holds--;
      this.applyInput();
    });
  }

  /** Why a peer with the right key may not publish, or undefined. */
  refusesPublish(protocol: PushProtocol): 'off' | 'busy' | undefined {
    if (!this.hasInputOn || !this.desired.allow[protocol] || !this.input.isPush) return 'off';
    const mayReplace = this.desired.takeover || this.input.isSilent;
    return this.input.current && !mayReplace ? 'busy' : undefined;
  }

  refusesPlay(protocol: PlayProtocol): 'off' | undefined {
    const isAllowed = this.hasSwitch(protocol) ? this.desired.allow[protocol] : true;
    return this.desired.enabled && isAllowed ? undefined : 'off';
  }

  beginPublish(publisher: Publisher): 'busy' | undefined {
    const refused = this.input.begin(publisher, this.desired);
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

  endPublish(publisher: Publisher, reason: ConnectionReason): void {
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

  /**
   * Counts a receiver at an endpoint, whose feed runs only while there are any. Call the returned function when the
   * receiver is gone.
   */
  addReceiver(endpoint: FedBy): () => void {
    this.receivers[endpoint]++;
    this.fill();
    this.reconsider();
    return once(() => {
      this.receivers[endpoint]--;
      this.fill();
    });
  }

  /** Whether the stream cannot be converted to this format. */
  isImpossible(shape: 'flv' | 'ts'): boolean {
    return this.input.current?.shape !== shape && this.conversions[shape === 'flv' ? 'toFlv' : 'toTs'].isImpossible;
  }

  /** Why readers of this format get video only. */
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
    this.rates.out.push(this.desired.enabled ? this.outMeter.kbps : Number.NaN);
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

  /** Undefined if there is no such connection. */
  quality(connection: ConnectionName): QualityMeter | undefined {
    if (connection === 'input') return this.input.quality;
    return 'output' in connection ? this.outputs.quality(connection.output) : this.clients.quality(connection.client);
  }

  close(reason: string): void {
    this.input.close(reason);
    this.outputs.close(reason);
    this.clients.close(() => reason);
    this.feeds.srt.close();
    this.feeds.udp.close();
    this.conversions.toTs.close();
    this.conversions.toFlv.close();
    this.ts.ring.clear();
    this.flv.ring.clear();
  }

  private hasSwitch(protocol: string): protocol is PushProtocol {
    return Object.hasOwn(this.desired.allow, protocol);
  }

  private get hasInputOn(): boolean {
    return this.desired.enabled || this.desired.feedsOthers === true || this.holds > 0;
  }

  private applyInput(): void {
    this.input.apply(this.hasInputOn, this.desired.input);
  }

  /** Updates outputs and remuxers: outputs run while there is input, a remuxer while its result has readers. */
  private reconsider(): void {
    this.outputs.reconsider(this.desired.enabled, this.input.isHeld);
    const shape = this.input.current?.shape;
    if (shape === undefined) {
      if (this.input.isHeld) return;
      this.conversions.toTs.want(false);
      this.conversions.toFlv.want(false);
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

  /** Runs the feeds that have receivers and are not filled within the endpoint. */
  private fill(): void {
    const linkedBy = this.input.current?.linkedBy;
    for (const fedBy of ['srt', 'udp'] as const) this.feeds[fedBy].want(linkedBy === fedBy ? 0 : this.receivers[fedBy]);
  }
}

/** Also while `act` runs: what it changes may call the returned function again. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
