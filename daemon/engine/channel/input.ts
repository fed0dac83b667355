/** The input of a channel: a publisher that has connected, or a connection that pulls. Only one at a time. */

import { isDeepStrictEqual } from 'node:util';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, FailoverStatus, InputStatus } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { type Attempt, type AttemptEvents, Connection } from '../connection/connection.ts';
import { createRateMeter } from '../connection/rate.ts';
import { connectionKeeping, createQualityMeter } from '../quality/meter.ts';
import { datagramReadings, type Readings, srtReadings } from '../quality/readings.ts';
import type { PlannedFetch, PlannedSource, Ready } from './input-sharing.ts';
import type { Publisher } from './publisher.ts';
import { createSilenceMeter } from './silence-meter.ts';
import { type InputEvent, type InputState, nextState, off, publisherOf, type Replacement } from './state.ts';

/** One attempt at a pulled input. */
export interface InputAttempt extends Attempt {
  /** Status of the channel that provides the stream; reported instead of the input's own status. */
  upstream?(): Pick<InputStatus, 'conn' | 'state' | 'reason'> | undefined;
  failover?(): FailoverStatus;
  /** Switches to the main or the backup source on an operator's request. Returns the reason if it cannot. */
  switchTo?(role: 'main' | 'backup'): 'notReady' | undefined;
}

interface ChannelInputOptions {
  readonly channelId: number;
  readonly log: Log;
  readonly ready: Ready | undefined;
  /** Opens a pulled input, which announces its publisher through `ChannelInput.begin`. */
  readonly open: (source: PlannedFetch, events: AttemptEvents) => InputAttempt;
  /** Called when the publisher arrives, leaves or changes its state. */
  readonly onChange: () => void;
}

export class ChannelInput {
  private readonly options: ChannelInputOptions;
  /** Everything that outputs and players get, also from a slate. */
  private readonly meter = createRateMeter();
  private readonly received = createRateMeter();
  private readonly quiet = createSilenceMeter();
  readonly quality = createQualityMeter(connectionKeeping);
  private source: PlannedSource = { protocol: 'push' };
  private connection: Connection | undefined;
  private attempt: InputAttempt | undefined;
  private state: InputState = off;
  private publishers = 0;
  private earlierBytes = 0;
  private earlierSlateBytes = 0;
  private lastBytes = 0;
  private lastFlow = Number.NEGATIVE_INFINITY;

  constructor(options: ChannelInputOptions) {
    this.options = options;
  }

  get current(): Publisher | undefined {
    return publisherOf(this.state);
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

  /** Whether there is a publisher, or data arrived within the last `timing.input.holdMs`. */
  get isHeld(): boolean {
    return this.current !== undefined || performance.now() - this.lastFlow < timing.input.holdMs;
  }

  /** Whether the publisher has been silent long enough for another one to replace it. */
  get isSilent(): boolean {
    if (!this.current || !this.isPush || this.bytes > this.lastBytes) return false;
    return performance.now() - this.lastFlow >= timing.input.silentMs;
  }

  get bytes(): number {
    return this.earlierBytes + (this.current?.bytes() ?? 0);
  }

  get kbps(): number {
    return this.received.kbps;
  }

  private get receivedBytes(): number {
    return this.bytes - this.earlierSlateBytes - (this.current?.slateBytes?.() ?? 0);
  }

  apply(isOn: boolean, source: PlannedSource): void {
    this.handle({ event: isOn ? 'on' : 'off' });
    if (!isDeepStrictEqual(source, this.source)) {
      this.source = source;
      this.connection?.close('input changed');
      this.connection = undefined;
      this.attempt = undefined;
      this.current?.close('input changed');
      if (source.protocol !== 'push') this.connection = this.createConnection(source);
    }
    if (!isOn) this.current?.close('channel switched off');
    this.connection?.want(isOn, 'switchedOff');
  }

  /** Reports a status change. */
  changed(): void {
    this.options.onChange();
  }

  /** Admits a publisher; call it before the publisher's first packets. Returns the reason if it cannot publish. */
  begin(publisher: Publisher, { takeover }: { readonly takeover: boolean }): 'busy' | undefined {
    const before = this.current;
    const replaces = before && (this.isSilent ? 'stalled' : takeover && this.isPush ? 'replaced' : undefined);
    if (before && replaces) this.replace(before, replaces);
    if (!this.handle({ event: 'begin', publisher, replaces })) return 'busy';
    this.publishers++;
    this.lastFlow = performance.now();
    this.quiet.begin(this.lastFlow);
    const { log, channelId, onChange } = this.options;
    log.info(`channel ${channelId} input: publishing began`, { protocol: publisher.protocol, peer: publisher.peer() });
    onChange();
    return undefined;
  }

  private replace(before: Publisher, reason: Replacement): void {
    // End it first: closing would record another reason. Data that still arrives through an endpoint is ignored.
    this.end(before, reason);
    const text = reason === 'stalled' ? 'silent, and another publisher took its place' : 'a new publisher took over';
    if (before.replaced) before.replaced(text);
    else before.close(text);
  }

  end(publisher: Publisher, reason: ConnectionReason): void {
    if (!this.handle({ event: 'end', publisher, reason })) return;
    this.earlierBytes += publisher.bytes();
    this.earlierSlateBytes += publisher.slateBytes?.() ?? 0;
    const { log, channelId, onChange } = this.options;
    log.info(`channel ${channelId} input: publishing ended`, { protocol: publisher.protocol, reason });
    onChange();
  }

  tick(nowMs: number): void {
    const { bytes, current } = this;
    if (bytes > this.lastBytes) {
      this.lastFlow = nowMs;
      this.handle({ event: 'flow' });
    }
    this.lastBytes = bytes;
    this.meter.tick(bytes, nowMs);
    this.received.tick(this.receivedBytes, nowMs);
    this.quiet.tick(current?.arrivals?.(), nowMs);
    this.quality.tick(current && readingsOf(current));
    this.connection?.tick(nowMs);
    if (nowMs - this.lastFlow > timing.input.stalledMs) current?.stalled();
  }

  status(): InputStatus {
    const publisher = this.current;
    const srt = publisher?.srt?.();
    const datagrams = publisher?.datagrams?.();
    const quality = this.quality.now;
    const media = publisher?.media();
    const ccErrors = publisher?.continuityErrors?.();
    return {
      ...this.connectionStatus(),
      kbps: this.received.kbps,
      bytes: this.receivedBytes,
      since: this.received.since,
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
    this.current?.close(reason);
  }

  /** Returns false if the event has no effect in the current state. */
  private handle(event: InputEvent): boolean {
    const before = this.state;
    this.state = nextState(before, event);
    return this.state !== before;
  }

  private connectionStatus(): Pick<InputStatus, 'conn' | 'state' | 'reason' | 'refused'> {
    const { waiting, waitingForData, connected } = connectionStates;
    const { offline, running } = sourceStates;
    const { state } = this;
    switch (state.is) {
      case 'off':
      case 'closing':
        return { conn: waiting, state: offline, reason: 'switchedOff' };
      case 'waiting':
        return this.statusOfSource() ?? { conn: waiting, state: offline, reason: state.end ?? 'noInput' };
      case 'replacing':
        return { conn: waitingForData, state: running, reason: state.reason };
      case 'publishing': {
        const reason = state.publisher.lacks?.() ?? (this.meter.isFlowing ? undefined : 'noData');
        return reason ? { conn: waitingForData, state: running, reason } : { conn: connected, state: running };
      }
    }
  }

  /** Returns the status of the providing channel or of the pulling connection; undefined for a push input. */
  private statusOfSource(): Pick<InputStatus, 'conn' | 'state' | 'reason' | 'refused'> | undefined {
    const upstream = this.attempt?.upstream?.();
    if (upstream) {
      const { conn, state, reason } = upstream;
      return { conn, state, ...(reason && { reason }) };
    }
    if (!this.connection) return undefined;
    const { conn, state, reason, refused } = this.connection.status();
    // An open port or an accepted connection does not mean that a stream arrives.
    if (conn === connectionStates.connected) {
      return { conn: connectionStates.waitingForData, state, reason: 'noData' };
    }
    return { conn, state, ...(reason && { reason }), ...(refused && { refused }) };
  }

  private createConnection(source: PlannedFetch): Connection {
    const { channelId, log, ready, open, onChange } = this.options;
    return new Connection({
      ...{ name: `channel ${channelId} input`, log, onChange },
      ready: () => ready?.(source),
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
