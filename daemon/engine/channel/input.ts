/** The input of one channel: a publisher that connected, or a connection that pulls. One at a time. */

import { isDeepStrictEqual } from 'node:util';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, FailoverStatus, InputStatus } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { type Attempt, type AttemptEvents, Connection } from '../connection/connection.ts';
import { createRateMeter } from '../connection/rate.ts';
import { connectionKeeping, createQualityMeter } from '../quality/meter.ts';
import { datagramReadings, type Readings, srtReadings } from '../quality/readings.ts';
import type { PlannedFetch, PlannedSource } from './input-sharing.ts';
import type { Publisher } from './publisher.ts';
import { createSilenceMeter } from './silence-meter.ts';

/** For this many seconds of the new publisher's flow the status reports the replacement, so that the history has it. */
const replacedTicks = 2;

/** One attempt at a pulled input. */
export interface InputAttempt extends Attempt {
  /** Status of the channel that provides the stream, reported instead of our own. */
  upstream?(): Pick<InputStatus, 'conn' | 'state' | 'reason'> | undefined;
  failover?(): FailoverStatus;
  /** Switches to that source on an operator's request. Returns why it cannot. */
  switchTo?(role: 'main' | 'backup'): 'notReady' | undefined;
}
/** Opens a pulled input, which announces its publisher through `ChannelInput.begin`. */
export type OpenInput = (source: PlannedFetch, events: AttemptEvents) => InputAttempt;

export interface ChannelInputOptions {
  readonly channelId: number;
  readonly log: Log;
  readonly open: OpenInput;
  /** Called when the publisher arrives, leaves or changes its state. */
  readonly onChange: () => void;
}

export class ChannelInput {
  private readonly options: ChannelInputOptions;
  private readonly meter = createRateMeter();
  private readonly quiet = createSilenceMeter();
  readonly quality = createQualityMeter(connectionKeeping);
  private source: PlannedSource = { protocol: 'push' };
  private connection: Connection | undefined;
  private attempt: InputAttempt | undefined;
  private isOn = false;
  private publisher: Publisher | undefined;
  private publishers = 0;
  private earlierBytes = 0;
  private lastBytes = 0;
  private lastFlow = Number.NEGATIVE_INFINITY;
  private lastEnd: ConnectionReason | undefined;
  private replacement: { readonly reason: ConnectionReason; ticks: number } | undefined;

  constructor(options: ChannelInputOptions) {
    this.options = options;
  }

  get current(): Publisher | undefined {
    return this.publisher;
  }

  get isPush(): boolean {
    return this.connection === undefined;
  }

  /** Whether the stream comes from another channel. */
  get isShared(): boolean {
    return this.attempt?.upstream !== undefined;
  }

  failover(): FailoverStatus | undefined {
    return this.attempt?.failover?.();
  }

  switchTo(role: 'main' | 'backup'): 'notReady' | 'noBackup' | undefined {
    return this.attempt?.switchTo ? this.attempt.switchTo(role) : 'noBackup';
  }

  /** Whether packets flow, or did so until a moment ago. */
  get isHeld(): boolean {
    return this.publisher !== undefined || performance.now() - this.lastFlow < timing.input.holdMs;
  }

  /** Whether the publisher has been silent for so long that another one may replace it. */
  get isSilent(): boolean {
    if (!this.publisher || !this.isPush || this.bytes > this.lastBytes) return false;
    return performance.now() - this.lastFlow >= timing.input.silentMs;
  }

  get bytes(): number {
    return this.earlierBytes + (this.publisher?.bytes() ?? 0);
  }

  get kbps(): number {
    return this.meter.kbps;
  }

  apply(isOn: boolean, source: PlannedSource): void {
    this.isOn = isOn;
    if (!isDeepStrictEqual(source, this.source)) {
      this.source = source;
      this.connection?.close('input changed');
      this.connection = undefined;
      this.attempt = undefined;
      this.publisher?.close('input changed');
      if (source.protocol !== 'push') this.connection = this.createConnection(source);
    }
    if (!isOn) this.publisher?.close('channel switched off');
    this.connection?.want(isOn, 'switchedOff');
  }

  /** Reports a change of the status. */
  changed(): void {
    this.options.onChange();
  }

  /** Call before a publisher's first packets. Returns why it cannot publish. */
  begin(publisher: Publisher, { takeover }: { readonly takeover: boolean }): 'busy' | undefined {
    const before = this.publisher;
    const { isSilent } = this;
    if (before && !isSilent && !(takeover && this.isPush)) return 'busy';
    this.replacement = undefined;
    if (before) this.replace(before, isSilent);
    this.publisher = publisher;
    this.publishers++;
    this.lastFlow = performance.now();
    this.quiet.begin(this.lastFlow);
    this.lastEnd = undefined;
    const { log, channelId, onChange } = this.options;
    log.info(`channel ${channelId} input: publishing began`, { protocol: publisher.protocol, peer: publisher.peer() });
    onChange();
    return undefined;
  }

  private replace(before: Publisher, isSilent: boolean): void {
    const reason = isSilent ? 'stalled' : 'replaced';
    // End it first: closing would end it for another reason. Data still arriving through an endpoint is ignored.
    this.end(before, reason);
    const text = isSilent ? 'silent, and another publisher took its place' : 'a new publisher took over';
    if (before.replaced) before.replaced(text);
    else before.close(text);
    this.replacement = { reason, ticks: replacedTicks };
  }

  end(publisher: Publisher, reason: ConnectionReason): void {
    if (this.publisher !== publisher) return;
    this.earlierBytes += publisher.bytes();
    this.publisher = undefined;
    // That reason is outdated once the channel is enabled again: it simply waits.
    this.lastEnd = reason === 'switchedOff' ? undefined : reason;
    const { log, channelId, onChange } = this.options;
    log.info(`channel ${channelId} input: publishing ended`, { protocol: publisher.protocol, reason });
    onChange();
  }

  tick(nowMs: number): void {
    const bytes = this.bytes;
    if (bytes > this.lastBytes) {
      this.lastFlow = nowMs;
      if (this.replacement && this.replacement.ticks-- === 0) this.replacement = undefined;
    }
    this.lastBytes = bytes;
    this.meter.tick(bytes, nowMs);
    this.quiet.tick(this.publisher?.arrivals?.(), nowMs);
    this.quality.tick(this.publisher && readingsOf(this.publisher));
    this.connection?.tick(nowMs);
    if (nowMs - this.lastFlow > timing.input.stalledMs) this.publisher?.stalled();
  }

  status(): InputStatus {
    const publisher = this.publisher;
    const srt = publisher?.srt?.();
    const datagrams = publisher?.datagrams?.();
    const quality = this.quality.now;
    const media = publisher?.media();
    const ccErrors = publisher?.continuityErrors?.();
    return {
      ...this.connectionStatus(),
      kbps: this.meter.kbps,
      bytes: this.bytes,
      since: this.meter.since,
      protocol: publisher?.protocol ?? '',
      peer: publisher?.peer() ?? '',
      reconnects: Math.max(0, this.publishers - 1),
      ...(srt && { srt }),
      ...(datagrams && { datagrams }),
      ...(quality && { quality }),
      ...(media && { media }),
      ...(ccErrors !== undefined && { ccErrors }),
      ...(publisher?.arrivals && { quiet: this.quiet.status() }),
    };
  }

  close(reason: string): void {
    this.connection?.close(reason);
    this.publisher?.close(reason);
  }

  private connectionStatus(): Pick<InputStatus, 'conn' | 'state' | 'reason' | 'refused'> {
    if (!this.isOn) return { conn: connectionStates.waiting, state: sourceStates.offline, reason: 'switchedOff' };
    const upstream = this.publisher ? undefined : this.attempt?.upstream?.();
    if (upstream) {
      const { conn, state, reason } = upstream;
      return { conn, state, ...(reason && { reason }) };
    }
    if (this.connection && !this.publisher) {
      const { conn, state, reason, refused } = this.connection.status();
      // An open port or an accepted call is not a stream yet.
      if (conn === connectionStates.connected) {
        return { conn: connectionStates.waitingForData, state, reason: 'noData' };
      }
      return { conn, state, ...(reason && { reason }), ...(refused && { refused }) };
    }
    if (!this.publisher) {
      const reason = this.lastEnd ?? 'noInput';
      return { conn: connectionStates.waiting, state: sourceStates.offline, reason };
    }
    if (this.replacement) {
      const { reason } = this.replacement;
      return { conn: connectionStates.waitingForData, state: sourceStates.running, reason };
    }
    const lack = this.publisher.lacks?.();
    if (lack) return { conn: connectionStates.waitingForData, state: sourceStates.running, reason: lack };
    if (this.meter.isFlowing) return { conn: connectionStates.connected, state: sourceStates.running };
    return { conn: connectionStates.waitingForData, state: sourceStates.running, reason: 'noData' };
  }

  private createConnection(source: PlannedFetch): Connection {
    const { channelId, log, open, onChange } = this.options;
    return new Connection({
      ...{ name: `channel ${channelId} input`, log, onChange },
      open: (events) => {
        this.attempt = open(source, events);
        return this.attempt;
      },
    });
  }
}

function readingsOf(publisher: Publisher): Readings {
  const srt = publisher.srt?.();
  const datagrams = publisher.datagrams?.();
  const ccErrors = publisher.continuityErrors?.();
  const bufferMs = publisher.bufferMs?.();
  return {
    ...(srt && srtReadings(srt)),
    ...(datagrams && datagramReadings(datagrams)),
    ...(ccErrors !== undefined && { ccErrors }),
    ...(bufferMs !== undefined && { bufferMs }),
  };
}
