/** One input of a channel with a backup, as its feeder has it: what comes, and whether it is good enough to be shown. */
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { Cursor } from '../bus.ts';
import type { Channel } from '../channel.ts';
import type { Publisher } from '../channel-input.ts';
import { type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import type { InputStatus } from '../status.ts';
import type { FailoverRule } from '../wanted.ts';

/** Why an input isn't shown any longer. */
export type Loss = 'ended' | 'noData' | 'noVideo' | 'noAudio';

/** Messages of one unit, with the headers before them where they don't follow the last ones. */
export interface Piece {
  readonly messages: readonly FlvMessage[];
  readonly isEntry: boolean;
}

export interface CandidateOptions {
  /** Asked when everything that belongs to one wanted state is there. */
  readonly find: () => Channel | undefined;
  readonly rule: FailoverRule;
  readonly now: () => number;
  readonly onPiece: (piece: Piece) => void;
  /** Once per batch. */
  readonly onBatch: () => void;
  /** Its publisher came or went. */
  readonly onChange: () => void;
}

interface Arrivals {
  any: number;
  video: number;
  audio: number;
}

export class Candidate {
  private readonly options: CandidateOptions;
  private feeder: Channel | undefined;
  private cursor: Cursor<FlvUnit> | undefined;
  private leaveFeeder: () => void = () => undefined;
  private releaseInput: (() => void) | undefined;
  private publisher: Publisher | undefined;
  private seen: Arrivals = { any: 0, video: 0, audio: 0 };
  private goodSince: number | undefined;
  /** Its publisher has sent an entry point. */
  private hasBegun = false;

  constructor(options: CandidateOptions) {
    this.options = options;
  }

  open(): void {
    this.feeder = this.options.find();
    if (!this.feeder) return;
    this.leaveFeeder = this.feeder.watchInput(() => this.follow());
    this.cursor = this.feeder.flv.ring.subscribe(() => this.drain());
    this.follow();
    this.drain();
  }

  close(): void {
    this.hold(false);
    this.leaveFeeder();
    this.cursor?.close();
    this.cursor = undefined;
    this.feeder = undefined;
  }

  /** Keeps the input open, beyond what others want of it. */
  hold(on: boolean): void {
    if (on) this.releaseInput ??= this.feeder?.holdInput();
    else {
      this.releaseInput?.();
      this.releaseInput = undefined;
    }
  }

  /** Undefined while it is good. */
  loss(now: number): Loss | undefined {
    const loss = this.lossNow(now);
    if (loss) this.goodSince = undefined;
    else this.goodSince ??= now;
    return loss;
  }

  /** For how long it has been good, milliseconds. */
  goodFor(now: number): number {
    return this.goodSince === undefined ? 0 : now - this.goodSince;
  }

  /** We were held up ourselves for so long: nobody is to blame for not having been heard. */
  excuse(ms: number): void {
    this.seen = { any: this.seen.any + ms, video: this.seen.video + ms, audio: this.seen.audio + ms };
  }

  /** From the newest entry point on: what a decoder needs to go on with what comes next. */
  held(): FlvMessage[] {
    const cursor = this.feeder?.flv.ring.subscribe(() => undefined);
    if (!cursor) return [];
    const held: FlvMessage[] = [];
    for (let unit = cursor.take(); unit; unit = cursor.take()) held.push(...this.piece(unit, cursor.jumped).messages);
    cursor.close();
    return held;
  }

  /** Whether it can be shown at once; otherwise from its next entry point on. */
  get canJoin(): boolean {
    return (this.feeder?.flv.ring.newestEntry ?? -1) >= 0;
  }

  get current(): Publisher | undefined {
    return this.feeder?.input.current;
  }

  status(): InputStatus {
    const status = this.feeder?.input.status() ?? noStatus;
    if (!this.feeder?.isImpossible('flv')) return status;
    return { ...status, state: sourceStates.unsupported, reason: 'codecNotPossible' };
  }

  private lossNow(now: number): Loss | undefined {
    const { noDataMs, noVideoMs, noAudioMs } = this.options.rule;
    if (!this.publisher) return 'ended';
    if (now - this.seen.any > noDataMs || !this.hasBegun) return 'noData';
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
    this.hasBegun = this.canJoin;
    this.goodSince = undefined;
    this.options.onChange();
  }

  private drain(): void {
    const { cursor } = this;
    if (!cursor) return;
    const now = this.options.now();
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      this.seen.any = now;
      this.hasBegun ||= unit.entryPoint;
      for (const { type } of unit.messages) {
        if (type === messageType.video) this.seen.video = now;
        else if (type === messageType.audio) this.seen.audio = now;
      }
      this.options.onPiece(this.piece(unit, cursor.jumped));
    }
    this.options.onBatch();
  }

  private piece({ messages, entryPoint, headers = this.feeder?.flv.headers }: FlvUnit, jumped: boolean): Piece {
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
