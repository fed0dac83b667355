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

type Live = 'main' | 'backup';
const other = { main: 'backup', backup: 'main' } as const;

export interface FailoverOptions {
  readonly channel: Channel;
  readonly events: AttemptEvents;
  readonly rule: FailoverRule;
  readonly tools: Pick<FfmpegTools, 'ffmpeg'>;
  /** Return the source channels of the inputs. Called once all channels of the desired state exist. */
  readonly find: Readonly<Record<Live, () => Channel | undefined>>;
}

/** Interval of the checks for silence. */
const lookMs = 40;

export function openFailover(options: FailoverOptions): InputAttempt {
  const run = new Failover(options);
  // Deferred: the caller does not have the attempt yet, and not all channels exist.
  queueMicrotask(() => run.open());
  return run;
}

class Failover implements InputAttempt {
  readonly skipped = 0;
  private readonly options: FailoverOptions;
  private readonly inputs: Readonly<Record<Live, Candidate>>;
  private readonly splice = new Splice();
  private readonly slate: SlatePlayer;
  private readonly publisher: Publisher;
  private sink: FlvBusSink | undefined;
  private earlierBytes = 0;
  private active: InputRole | undefined;
  /** Takes over with its next keyframe. */
  private next: { readonly role: Live; readonly reason: FailoverStatus['switchReason'] } | undefined;
  private request: { readonly role: Live; readonly until: number } | undefined;
  private lastSwitch: Pick<FailoverStatus, 'switchedAt' | 'switchReason'> = { switchedAt: 0, switchReason: 'none' };
  private switches = 0;
  private mainWasGood = false;
  private readonly openedAt = performance.now();
  private lookedAt = performance.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private isOver = false;

  constructor(options: FailoverOptions) {
    this.options = options;
    const candidate = (role: Live) =>
      new Candidate({
        ...{ rule: options.rule, find: options.find[role], now: () => performance.now() },
        onPiece: (piece) => this.piece(role, piece),
        onBatch: () => this.active === role && this.sink?.flush(),
        onChange: () => this.look(),
      });
    this.inputs = { main: candidate('main'), backup: candidate('backup') };
    this.slate = createSlatePlayer(options.rule.slate, options.tools, options.channel.log, (messages) => {
      this.send(messages);
      this.sink?.flush();
    });
    this.publisher = this.createPublisher();
  }

  get bytes(): number {
    return this.earlierBytes + (this.sink?.counters.bytes ?? 0);
  }

  open(): void {
    if (this.isOver) return;
    this.inputs.main.open();
    this.inputs.backup.open();
    this.timer = setInterval(() => this.tick(), lookMs);
    this.look();
  }

  close(): void {
    this.isOver = true;
    clearInterval(this.timer);
    this.slate.close();
    this.inputs.main.close();
    this.inputs.backup.close();
    this.endSession('switchedOff');
  }

  upstream() {
    return this.inputs[this.active === 'backup' ? 'backup' : 'main'].status();
  }

  failover(): FailoverStatus {
    return {
      active: this.active ?? 'main',
      main: this.inputs.main.status(),
      backup: this.inputs.backup.status(),
      ...this.lastSwitch,
      switches: this.switches,
    };
  }

  switchTo(role: Live): 'notReady' | undefined {
    const isGood = this.inputs[role].loss(performance.now()) === undefined;
    const canBeFetched = role === 'backup' && this.options.rule.standby === 'cold';
    if (!isGood && !canBeFetched) return 'notReady';
    this.request = { role, until: performance.now() + timing.failover.requestMs };
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
    if (this.isOver) return;
    const now = performance.now();
    const loss = { main: this.inputs.main.loss(now), backup: this.inputs.backup.loss(now) };
    this.mainWasGood ||= loss.main === undefined;
    if (this.request && now > this.request.until && loss[this.request.role]) this.request = undefined;
    this.choose(loss, now);
    this.holdBackup(loss.main !== undefined, now);
    this.prepareSlate();
  }

  private choose(loss: Readonly<Record<Live, FailoverStatus['switchReason'] | undefined>>, now: number): void {
    const { active } = this;
    if (this.next && loss[this.next.role]) this.next = undefined;
    if (active === 'main' || active === 'backup') {
      const lost = loss[active];
      if (lost === undefined) this.reconsider(active, loss, now);
      else if (!loss[other[active]] && this.inputs[other[active]].canJoin) this.cut(other[active], lost);
      else if (this.slate.isReady) this.showSlate(lost);
      else if (!loss[other[active]]) this.next ??= { role: other[active], reason: lost };
      return;
    }
    const mayStart = (role: Live) => !loss[role] && (role === 'main' || this.mainWasGood || this.headStartIsOver(now));
    const role = (['main', 'backup'] as const).find(mayStart);
    if (active === 'slate') {
      if (role && !this.next) this.next = { role, reason: 'stable' };
    } else if (role && this.inputs[role].canJoin) this.cut(role, 'none');
    else if (role) this.next ??= { role, reason: 'none' };
    else if (this.headStartIsOver(now) && this.slate.isReady) this.showSlate('noData');
  }

  /** The active input is good; another may be preferred all the same. */
  private reconsider(active: Live, loss: Readonly<Partial<Record<Live, unknown>>>, now: number): void {
    const { rule } = this.options;
    if (this.request?.role === other[active] && !loss[other[active]]) {
      this.next = { role: this.request.role, reason: 'operator' };
      return;
    }
    const isChosen = this.request?.role === active;
    const mainIsBack = !loss.main && this.inputs.main.goodFor(now) >= rule['stable-s'] * 1000;
    if (active === 'backup' && rule.back === 'stable' && mainIsBack && !isChosen) {
      this.next ??= { role: 'main', reason: 'stable' };
    }
  }

  private headStartIsOver(now: number): boolean {
    return now - this.openedAt > timing.failover.headStartMs;
  }

  private holdBackup(mainIsLost: boolean, now: number): void {
    if (this.options.rule.standby === 'hot') return;
    const { main, backup } = this.inputs;
    const isRequested = this.request?.role === 'backup';
    const mayNeed = this.mainWasGood || this.headStartIsOver(now);
    if (isRequested || this.active === 'backup' || (mainIsLost && mayNeed)) backup.hold(true);
    else if (main.goodFor(now) > timing.failover.releaseMs) backup.hold(false);
  }

  private prepareSlate(): void {
    const source = this.active === 'slate' ? undefined : this.inputs[this.active ?? 'main'];
    this.slate.prepare(source?.current?.media(), this.headStartIsOver(performance.now()));
  }

  /** Sends the buffered frames of the new input first, because its next frames cannot be decoded without them. */
  private cut(role: Live, reason: FailoverStatus['switchReason']): void {
    const held = this.inputs[role].held();
    this.moveTo(role, reason);
    this.send(this.splice.catchUp(held, performance.now()), true);
    this.sink?.flush();
  }

  private showSlate(reason: FailoverStatus['switchReason']): void {
    this.moveTo('slate', reason);
    this.splice.cut(0, performance.now());
    this.slate.play();
  }

  private piece(role: Live, { messages, isEntry }: Piece): void {
    if (this.next?.role === role && isEntry) {
      const first = messages.find(({ type }) => type === messageType.video) ?? messages[0];
      const { reason } = this.next;
      this.moveTo(role, reason);
      this.splice.cut(first?.timestamp ?? 0, performance.now());
    }
    if (this.active === role) this.send(messages);
  }

  private moveTo(role: InputRole, reason: FailoverStatus['switchReason']): void {
    const from = this.active;
    this.next = undefined;
    if (this.request && this.request.role !== role) this.request = undefined;
    if (role !== 'slate') this.slate.stop();
    this.active = role;
    if (from === undefined && role === 'main') return;
    this.switches++;
    this.lastSwitch = { switchedAt: Date.now(), switchReason: reason };
    const { channel } = this.options;
    channel.log.warn(`channel ${channel.id} input: switched to ${role}`, { from: from ?? 'none', reason });
    channel.input.changed();
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
    events.connected();
    return true;
  }

  private endSession(reason: ConnectionReason): void {
    this.earlierBytes = this.bytes;
    this.sink?.close('no input');
    this.sink = undefined;
    this.options.channel.endPublish(this.publisher, reason);
  }

  private createPublisher(): Publisher {
    const shown = () => (this.active === 'slate' ? undefined : this.inputs[this.active ?? 'main'].current);
    const publisher = flvPublisher(() => this.sink, {
      protocol: '',
      peer: () => shown()?.peer() ?? '',
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
