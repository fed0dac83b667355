/** One input of a channel with a backup, read from its source channel: its frames, and whether it is good enough. */
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { FailoverRule } from '../../media/protocol/desired.ts';
import type { InputStatus } from '../../media/protocol/reported.ts';
import type { Cursor } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { Publisher } from '../channel/publisher.ts';
import { type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { type Arrivals, type InputView, lossOf } from './state.ts';

/** Messages of one unit, preceded by the headers unless it directly follows the last unit. */
export interface Piece {
  readonly messages: readonly FlvMessage[];
  readonly isEntry: boolean;
}

export interface CandidateOptions {
  readonly sourceChannel: Channel | undefined;
  readonly rule: FailoverRule;
  readonly now: () => number;
  readonly onPiece: (piece: Piece) => void;
  /** Called once per batch. */
  readonly onBatch: () => void;
  /** Its publisher arrived or left. */
  readonly onChange: () => void;
}

export class Candidate {
  private readonly options: CandidateOptions;
  private sourceChannel: Channel | undefined;
  private cursor: Cursor<FlvUnit> | undefined;
  private leaveSourceChannel: () => void = () => undefined;
  private releaseInput: (() => void) | undefined;
  private publisher: Publisher | undefined;
  /** Of the publisher. */
  private seen: Arrivals | undefined;
  private goodSince: number | undefined;

  constructor(options: CandidateOptions) {
    this.options = options;
  }

  open(): void {
    this.sourceChannel = this.options.sourceChannel;
    if (!this.sourceChannel) return;
    this.leaveSourceChannel = this.sourceChannel.watchInput(() => this.follow());
    this.cursor = this.sourceChannel.flv.ring.subscribe(() => this.drain());
    this.follow();
    this.drain();
  }

  close(): void {
    this.hold(false);
    this.leaveSourceChannel();
    this.cursor?.close();
    this.cursor = undefined;
    this.sourceChannel = undefined;
  }

  /** Keeps the input open, independently of other users. */
  hold(on: boolean): void {
    if (on) this.releaseInput ??= this.sourceChannel?.holdInput();
    else {
      this.releaseInput?.();
      this.releaseInput = undefined;
    }
  }

  view(now: number): InputView {
    const loss = lossOf(this.seen, this.options.rule, now);
    this.goodSince = loss ? undefined : (this.goodSince ?? now);
    return { loss, canJoin: this.canJoin, goodMs: now - (this.goodSince ?? now) };
  }

  /** The engine itself was delayed by this much, so missing data is not the input's fault. */
  excuse(ms: number): void {
    for (const kind of ['any', 'video', 'audio'] as const) if (this.seen) this.seen[kind] += ms;
  }

  /** Returns the messages from the newest random access point on, which a decoder needs for the ones that follow. */
  held(): FlvMessage[] {
    const cursor = this.sourceChannel?.flv.ring.subscribe(() => undefined);
    if (!cursor) return [];
    const held: FlvMessage[] = [];
    for (let unit = cursor.take(); unit; unit = cursor.take()) held.push(...this.piece(unit, cursor.jumped).messages);
    cursor.close();
    return held;
  }

  private get canJoin(): boolean {
    return (this.sourceChannel?.flv.ring.newestEntry ?? -1) >= 0;
  }

  get current(): Publisher | undefined {
    return this.sourceChannel?.input.current;
  }

  status(): InputStatus {
    const status = this.sourceChannel?.input.status() ?? noStatus;
    if (!this.sourceChannel?.isImpossible('flv')) return status;
    return { ...status, state: sourceStates.unsupported, reason: 'codecNotPossible' };
  }

  private follow(): void {
    const { current } = this;
    if (current === this.publisher) return;
    this.publisher = current;
    const now = this.options.now();
    this.seen = current && { any: now, video: now, audio: now, hasKeyframe: this.canJoin };
    this.goodSince = undefined;
    this.options.onChange();
  }

  private drain(): void {
    const { cursor } = this;
    if (!cursor) return;
    const seen = this.seen ?? { any: 0, video: 0, audio: 0, hasKeyframe: false };
    const now = this.options.now();
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      seen.any = now;
      seen.hasKeyframe ||= unit.entryPoint;
      for (const { type } of unit.messages) {
        if (type === messageType.video) seen.video = now;
        else if (type === messageType.audio) seen.audio = now;
      }
      this.options.onPiece(this.piece(unit, cursor.jumped));
    }
    this.options.onBatch();
  }

  private piece({ messages, entryPoint, headers = this.sourceChannel?.flv.headers }: FlvUnit, jumped: boolean): Piece {
    if (!jumped && !entryPoint) return { messages, isEntry: false };
    const { metadata, video, audio, tracks = [] } = headers ?? {};
    const [first] = messages;
    const at = (header: FlvMessage) => ({ ...header, timestamp: first?.timestamp ?? header.timestamp });
    const before = [metadata, video, audio, ...tracks].flatMap((header) => (header ? [at(header)] : []));
    return { messages: [...before, ...messages], isEntry: entryPoint };
  }
}

const noStatus: InputStatus = {
  ...{ conn: connectionStates.waiting, state: sourceStates.offline, reason: 'noInput' as const },
  ...{ kbps: 0, bytes: 0, since: 0, protocol: '', peer: '', reconnects: 0 },
};
