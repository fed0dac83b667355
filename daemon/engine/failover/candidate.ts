/** One input of a channel with a backup, read from its source channel: its frames, and whether it is good enough. */
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { FailoverRule } from '../../media/protocol/desired.ts';
import type { InputStatus } from '../../media/protocol/reported.ts';
import type { Cursor } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { Publisher } from '../channel/publisher.ts';
import { type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';

/** Why an input is no longer used. */
export type Loss = 'ended' | 'noData' | 'noVideo' | 'noAudio';

/** Messages of one unit, preceded by the headers unless it directly follows the last unit. */
export interface Piece {
  readonly messages: readonly FlvMessage[];
  readonly isEntry: boolean;
}

export interface CandidateOptions {
  /** Called once all channels of the desired state exist. */
  readonly find: () => Channel | undefined;
  readonly rule: FailoverRule;
  readonly now: () => number;
  readonly onPiece: (piece: Piece) => void;
  /** Called once per batch. */
  readonly onBatch: () => void;
  /** Its publisher arrived or left. */
  readonly onChange: () => void;
}

interface Arrivals {
  any: number;
  video: number;
  audio: number;
}

export class Candidate {
  private readonly options: CandidateOptions;
  private sourceChannel: Channel | undefined;
  private cursor: Cursor<FlvUnit> | undefined;
  private leaveSourceChannel: () => void = () => undefined;
  private releaseInput: (() => void) | undefined;
  private publisher: Publisher | undefined;
  private seen: Arrivals = { any: 0, video: 0, audio: 0 };
  private goodSince: number | undefined;
  /** Whether its publisher has sent a random access point. */
  private hasStarted = false;

  constructor(options: CandidateOptions) {
    this.options = options;
  }

  open(): void {
    this.sourceChannel = this.options.find();
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

  /** Returns undefined while the input is good. */
  loss(now: number): Loss | undefined {
    const loss = this.lossNow(now);
    if (loss) this.goodSince = undefined;
    else this.goodSince ??= now;
    return loss;
  }

  /** Returns for how long it has been good, in milliseconds. */
  goodFor(now: number): number {
    return this.goodSince === undefined ? 0 : now - this.goodSince;
  }

  /** The engine itself was delayed by this much, so missing data is not the input's fault. */
  excuse(ms: number): void {
    this.seen = { any: this.seen.any + ms, video: this.seen.video + ms, audio: this.seen.audio + ms };
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

  /** Whether it can be shown immediately; otherwise from its next random access point on. */
  get canJoin(): boolean {
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

  private lossNow(now: number): Loss | undefined {
    const { 'no-data-ms': noDataMs, 'no-video-ms': noVideoMs, 'no-audio-ms': noAudioMs } = this.options.rule;
    if (!this.publisher) return 'ended';
    if (now - this.seen.any > noDataMs || !this.hasStarted) return 'noData';
    if (noVideoMs > 0 && now - this.seen.video > noVideoMs) return 'noVideo';
    if (noAudioMs > 0 && now - this.seen.audio > noAudioMs) return 'noAudio';
    return undefined;
  }

  private follow(): void {
    const { current } = this;
    if (current === this.publisher) return;
    this.publisher = current;
    const now = this.options.now();
    this.seen = { any: now, video: now, audio: now };
    this.hasStarted = this.canJoin;
    this.goodSince = undefined;
    this.options.onChange();
  }

  private drain(): void {
    const { cursor } = this;
    if (!cursor) return;
    const now = this.options.now();
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      this.seen.any = now;
      this.hasStarted ||= unit.entryPoint;
      for (const { type } of unit.messages) {
        if (type === messageType.video) this.seen.video = now;
        else if (type === messageType.audio) this.seen.audio = now;
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
