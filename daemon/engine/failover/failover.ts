/**
 * The input of a channel that has a backup: follows both inputs, forwards one of them, and switches so that the outputs
 * notice no more than a gap. It works on FLV, where frames and their times are available. From that the channel creates
 * its transport stream with one multiplexer, so that counters and clock continue, too.
 */

import type { FailoverRule } from '../../media/protocol/desired.ts';
import type { ConnectionReason, FailoverStatus, InputRole } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import type { Channel } from '../channel/channel.ts';
import type { InputAttempt } from '../channel/input.ts';
import { flvPublisher, type Publisher } from '../channel/publisher.ts';
import type { AttemptEvents } from '../connection/connection.ts';
import type { FfmpegTools } from '../ffmpeg/process.ts';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvBusSink } from '../flv/flv-sink.ts';
import { Candidate, type Piece } from './candidate.ts';
import { createSlatePlayer, type SlatePlayer } from './slate-player.ts';
import { Splice } from './splice.ts';
import {
  type FailoverEvent,
  type FailoverState,
  type Live,
  needsBackup,
  nextState,
  returnsInMs,
  roleOf,
  starting,
} from './state.ts';

export interface FailoverOptions {
  readonly channel: Channel;
  readonly events: AttemptEvents;
  readonly rule: FailoverRule;
  readonly tools: Pick<FfmpegTools, 'ffmpeg'>;
  /** Channels that provide the inputs. */
  readonly sources: Readonly<Record<Live, Channel | undefined>>;
}

/** Interval of the checks for silence. */
const lookMs = 40;

export function openFailover(options: FailoverOptions): InputAttempt {
  const run = new Failover(options);
  run.open();
  return run;
}

class Failover implements InputAttempt {
  readonly skipped = 0;
  private readonly options: FailoverOptions;
  private readonly inputs: Readonly<Record<Live, Candidate>>;
  private readonly splice = new Splice();
  private readonly slate: SlatePlayer;
  private readonly publisher: Publisher;
  private state: FailoverState = starting;
  private sink: FlvBusSink | undefined;
  private earlierBytes = 0;
  /** Of the current session. */
  private slateBytes = 0;
  private lastSwitch: Pick<FailoverStatus, 'switchedAt' | 'switchReason'> = { switchedAt: 0, switchReason: 'none' };
  private switches = 0;
  /** Milliseconds since 1970. */
  private returnsAt: number | undefined;
  private readonly openedAt = performance.now();
  private lookedAt = performance.now();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: FailoverOptions) {
    this.options = options;
    const candidate = (role: Live) =>
      new Candidate({
        ...{ rule: options.rule, sourceChannel: options.sources[role], now: () => performance.now() },
        onPiece: (piece) => this.piece(role, piece),
        onBatch: () => this.state.is === role && this.sink?.flush(),
        onChange: () => this.look(),
      });
    this.inputs = { main: candidate('main'), backup: candidate('backup') };
    this.slate = createSlatePlayer(options.rule.slate, options.tools, options.channel.log, (messages) => {
      const before = this.sink?.counters.bytes ?? 0;
      this.send(messages);
      this.slateBytes += (this.sink?.counters.bytes ?? 0) - before;
      this.sink?.flush();
    });
    this.publisher = this.createPublisher();
  }

  get bytes(): number {
    return this.earlierBytes + (this.sink?.counters.bytes ?? 0);
  }

  open(): void {
    this.inputs.main.open();
    this.inputs.backup.open();
    this.timer = setInterval(() => this.tick(), lookMs);
    this.look();
  }

  close(): void {
    this.handle({ event: 'close' });
    clearInterval(this.timer);
    this.slate.close();
    this.inputs.main.close();
    this.inputs.backup.close();
    this.endSession('switchedOff');
  }

  upstream() {
    return this.inputs[roleOf(this.state) === 'backup' ? 'backup' : 'main'].status();
  }

  failover(): FailoverStatus {
    const active = roleOf(this.state);
    // The main input may have taken over since the last look.
    const returnsAt = active === 'backup' ? this.returnsAt : undefined;
    return {
      active,
      main: this.inputs.main.status(),
      backup: this.inputs.backup.status(),
      ...this.lastSwitch,
      switches: this.switches,
      ...(returnsAt !== undefined && { returnsAt }),
    };
  }

  switchTo(role: Live): 'notReady' | undefined {
    const now = performance.now();
    const canBeFetched = role === 'backup' && this.options.rule.standby === 'cold';
    if (this.inputs[role].view(now).loss && !canBeFetched) return 'notReady';
    this.handle({ event: 'request', role, until: now + timing.failover.requestMs });
    this.look();
    return undefined;
  }

  private tick(): void {
    const now = performance.now();
    const late = now - this.lookedAt - lookMs;
    if (late > lookMs) for (const input of Object.values(this.inputs)) input.excuse(late);
    this.lookedAt = now;
    this.look();
  }

  private look(): void {
    if (this.state.is === 'closed') return;
    const { rule } = this.options;
    const { main, backup } = this.inputs;
    const now = performance.now();
    const isHeadStart = now - this.openedAt <= timing.failover.headStartMs;
    const slateIsReady = this.slate.isReady;
    const view = { now, rule, main: main.view(now), backup: backup.view(now), slateIsReady, isHeadStart };
    const shown = this.handle({ event: 'look', view });
    if (shown === 'slate') this.playSlate();
    else if (shown) this.catchUp(shown);
    const returnsIn = returnsInMs(this.state, view);
    this.returnsAt = returnsIn === undefined ? undefined : (this.returnsAt ?? Math.round(Date.now() + returnsIn));
    const isNeeded = needsBackup(this.state, view, timing.failover.releaseMs);
    if (rule.standby === 'cold' && isNeeded !== undefined) backup.hold(isNeeded);
    this.slate.prepare(this.shownInput()?.media(), !isHeadStart);
  }

  /** Returns what is shown from now on, if that changes. */
  private handle(event: FailoverEvent): InputRole | undefined {
    const before = this.state;
    const state = nextState(before, event);
    this.state = state;
    if (state.is === before.is || state.is === 'starting' || state.is === 'closed') return undefined;
    if (state.is !== 'slate') this.slate.stop();
    if (before.is !== 'starting' || state.is !== 'main') this.announce(before.is, state);
    return state.is;
  }

  private announce(from: FailoverState['is'], { is, reason }: Extract<FailoverState, { reason: unknown }>): void {
    this.switches++;
    this.lastSwitch = { switchedAt: Date.now(), switchReason: reason };
    const { channel } = this.options;
    const fields = { from: from === 'starting' ? 'none' : from, reason };
    channel.log.warn(`channel ${channel.id} input: switched to ${is}`, fields);
    channel.input.changed();
  }

  /** Sends the buffered frames of the new input first, because its next frames cannot be decoded without them. */
  private catchUp(role: Live): void {
    this.send(this.splice.catchUp(this.inputs[role].held(), performance.now()), true);
    this.sink?.flush();
  }

  private playSlate(): void {
    this.splice.cut(0, performance.now());
    this.slate.play();
  }

  private piece(role: Live, { messages, isEntry }: Piece): void {
    if (isEntry && this.handle({ event: 'keyframe', role })) {
      const first = messages.find(({ type }) => type === messageType.video) ?? messages[0];
      this.splice.cut(first?.timestamp ?? 0, performance.now());
    }
    if (this.state.is === role) this.send(messages);
  }

  private send(messages: readonly FlvMessage[], isPlaced = false): void {
    if (messages.length === 0 || !this.beginSession()) return;
    const now = performance.now();
    for (const message of messages) {
      const placed = isPlaced ? message : this.splice.map(message, now);
      if (placed) this.sink?.message(placed);
    }
  }

  private beginSession(): boolean {
    if (this.sink) return true;
    const { channel, events } = this.options;
    if (channel.beginPublish(this.publisher)) return false;
    this.sink = createFlvSink(channel.flv);
    this.slateBytes = 0;
    events.connected();
    return true;
  }

  private endSession(reason: ConnectionReason): void {
    this.earlierBytes = this.bytes;
    this.sink?.close('no input');
    this.sink = undefined;
    this.options.channel.endPublish(this.publisher, reason);
  }

  private shownInput(): Publisher | undefined {
    const role = roleOf(this.state);
    return role === 'slate' ? undefined : this.inputs[role].current;
  }

  private createPublisher(): Publisher {
    const shown = () => this.shownInput();
    const publisher = flvPublisher(() => this.sink, {
      protocol: '',
      peer: () => shown()?.peer() ?? '',
      slateBytes: () => this.slateBytes,
      continuityErrors: () => shown()?.continuityErrors?.(),
      srt: () => shown()?.srt?.(),
      datagrams: () => shown()?.datagrams?.(),
      stalled: () => this.endSession('noData'),
      close: () => this.endSession('switchedOff'),
    });
    return {
      ...publisher,
      get protocol() {
        return shown()?.protocol ?? '';
      },
    };
  }
}
