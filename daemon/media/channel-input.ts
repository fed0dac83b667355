/** The input of one channel: a publisher that came by itself, or a leg that fetches. One at a time. */

import { connectionStates, sourceStates } from '../contract/streams.ts';
import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import { type Attempt, type AttemptEvents, Leg } from './leg.ts';
import { createQualityMeter, legKeeping } from './quality/meter.ts';
import { datagramReadings, type Readings, srtReadings } from './quality/readings.ts';
import { type Counts, createQuietMeter } from './quiet.ts';
import { createRateMeter } from './rate.ts';
import type { StagedFetch, StagedSource } from './staging.ts';
import type { DatagramReport, FailoverStatus, InputStatus, LegReason, MediaStatus, SrtReport } from './status.ts';

/** What delivers packets now. */
export interface Publisher {
  /** '' of a slate. */
  readonly protocol: 'rtmp' | 'srt' | 'udp' | 'rtp' | 'rtsp' | 'http' | 'ndi' | '';
  readonly shape: 'flv' | 'ts';
  /** This endpoint passes its packets to the channel's receivers there by itself. */
  readonly linkedBy?: 'srt' | 'udp';
  /** Whether somebody reads the bus, and so waits for its packets. */
  pace?(hasReaders: boolean): void;
  peer(): string;
  bytes(): number;
  media(): MediaStatus | undefined;
  continuityErrors(): number | undefined;
  srt(): SrtReport | undefined;
  datagrams?(): DatagramReport | undefined;
  /** Milliseconds of media that wait for their time. */
  bufferMs?(): number;
  /** How many pieces of picture and of sound came; missing where nobody counts. */
  arrivals?(): Counts | undefined;
  /** Why nothing of what comes passes. */
  lacks?(): LegReason | undefined;
  /** Nothing came for a while: give the channel free. */
  stalled(): void;
  /** Like `close`; says why where the protocol can. Of those that come by themselves. */
  replaced?(reason: string): void;
  close(reason: string): void;
}

/** What the status says for so many seconds in which the new publisher sends, so that the history has it. */
const replacedTicks = 2;

/** One attempt at a fetched input. */
export interface InputAttempt extends Attempt {
  /** What is to be told instead of our own, when another channel of the engine has the stream. */
  upstream?(): Pick<InputStatus, 'conn' | 'state' | 'reason'> | undefined;
  failover?(): FailoverStatus;
  /** Takes that one by an operator's will; why not, when it can't. */
  switchTo?(role: 'main' | 'backup'): 'notReady' | undefined;
}
/** Opens a fetched input; it announces its publisher through `ChannelInput.begin`. */
export type OpenInput = (source: StagedFetch, events: AttemptEvents) => InputAttempt;

export interface ChannelInputOptions {
  readonly channelId: number;
  readonly log: Log;
  readonly open: OpenInput;
  /** The publisher came, went or changed its state. */
  readonly onChange: () => void;
}

export class ChannelInput {
  private readonly options: ChannelInputOptions;
  private readonly meter = createRateMeter();
  private readonly quiet = createQuietMeter();
  readonly quality = createQualityMeter(legKeeping);
  private source = JSON.stringify({ protocol: 'push' });
  private leg: Leg | undefined;
  private attempt: InputAttempt | undefined;
  private isOn = false;
  private publisher: Publisher | undefined;
  private publishers = 0;
  private earlierBytes = 0;
  private lastBytes = 0;
  private lastFlow = Number.NEGATIVE_INFINITY;
  private lastEnd: LegReason | undefined;
  private replacement: { readonly reason: LegReason; ticks: number } | undefined;

  constructor(options: ChannelInputOptions) {
    this.options = options;
  }

  get current(): Publisher | undefined {
    return this.publisher;
  }

  get isPush(): boolean {
    return this.leg === undefined;
  }

  /** Whether the stream is another channel's. */
  get isTapped(): boolean {
    return this.attempt?.upstream !== undefined;
  }

  failover(): FailoverStatus | undefined {
    return this.attempt?.failover?.();
  }

  switchTo(role: 'main' | 'backup'): 'notReady' | 'noBackup' | undefined {
    return this.attempt?.switchTo ? this.attempt.switchTo(role) : 'noBackup';
  }

  /** Whether packets flow or did so until a moment ago. */
  get isHeld(): boolean {
    return this.publisher !== undefined || performance.now() - this.lastFlow < timing.input.holdMs;
  }

  /** Nothing came from its publisher for so long that another one may take its place. */
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

  apply(isOn: boolean, source: StagedSource): void {
    this.isOn = isOn;
    const next = JSON.stringify(source);
    if (next !== this.source) {
      this.source = next;
      this.leg?.close('input changed');
      this.leg = undefined;
      this.attempt = undefined;
      this.publisher?.close('input changed');
      if (source.protocol !== 'push') this.leg = this.createLeg(source);
    }
    if (!isOn) this.publisher?.close('channel switched off');
    this.leg?.want(isOn, 'switchedOff');
  }

  /** What the status says is another now. */
  changed(): void {
    this.options.onChange();
  }

  /** A publisher's first packets are about to come. Why not, when it can't. */
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
    // First, since closing it would end it for another reason. What a connection at an endpoint still brings is ignored.
    this.end(before, reason);
    const text = isSilent ? 'silent, and another publisher took its place' : 'a new publisher took over';
    if (before.replaced) before.replaced(text);
    else before.close(text);
    this.replacement = { reason, ticks: replacedTicks };
  }

  end(publisher: Publisher, reason: LegReason): void {
    if (this.publisher !== publisher) return;
    this.earlierBytes += publisher.bytes();
    this.publisher = undefined;
    // That was about then: a channel that is switched on again just waits.
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
    this.leg?.tick(nowMs);
    if (nowMs - this.lastFlow > timing.input.stalledMs) this.publisher?.stalled();
  }

  status(): InputStatus {
    const publisher = this.publisher;
    const srt = publisher?.srt();
    const datagrams = publisher?.datagrams?.();
    const quality = this.quality.now;
    const media = publisher?.media();
    const ccErrors = publisher?.continuityErrors();
    return {
      ...this.connection(),
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
    this.leg?.close(reason);
    this.publisher?.close(reason);
  }

  private connection(): Pick<InputStatus, 'conn' | 'state' | 'reason' | 'refused'> {
    if (!this.isOn) return { conn: connectionStates.waiting, state: sourceStates.offline, reason: 'switchedOff' };
    const upstream = this.publisher ? undefined : this.attempt?.upstream?.();
    if (upstream) {
      const { conn, state, reason } = upstream;
      return { conn, state, ...(reason && { reason }) };
    }
    if (this.leg && !this.publisher) {
      const { conn, state, reason, refused } = this.leg.status();
      // An open port, or a call that was answered, is no stream yet.
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

  private createLeg(source: StagedFetch): Leg {
    const { channelId, log, open, onChange } = this.options;
    return new Leg({
      ...{ name: `channel ${channelId} input`, log, onChange },
      open: (events) => {
        this.attempt = open(source, events);
        return this.attempt;
      },
    });
  }
}

function readingsOf(publisher: Publisher): Readings {
  const srt = publisher.srt();
  const datagrams = publisher.datagrams?.();
  const ccErrors = publisher.continuityErrors();
  const bufferMs = publisher.bufferMs?.();
  return {
    ...(srt && srtReadings(srt)),
    ...(datagrams && datagramReadings(datagrams)),
    ...(ccErrors !== undefined && { ccErrors }),
    ...(bufferMs !== undefined && { bufferMs }),
  };
}
