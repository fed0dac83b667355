/** Remuxes a channel to the other container while that has readers, if it can carry the publisher's codecs. */
import type { Log } from '../../lib/log.ts';
import type { FlvBus } from '../flv/flv-bus.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import type { CodecSupport, OnSupport, RemuxRun } from './codec-support.ts';
import { startFlvToTs } from './flv-to-ts-run.ts';
import { TsMuxer } from './ts-muxer.ts';
import { startTsToFlv } from './ts-to-flv-run.ts';

interface ConversionOptions {
  /** `ts to flv` or `flv to ts`, for log messages. */
  readonly name: string;
  readonly log: Log;
  readonly start: (onSupport: OnSupport) => RemuxRun;
  readonly onChange: () => void;
}

export class Conversion {
  private readonly options: ConversionOptions;
  private run: RemuxRun | undefined;
  private desired = false;
  private support: CodecSupport | undefined;
  /** Only video is remuxed, because the other container can't carry the audio. */
  leavesOutSound = false;

  constructor(options: ConversionOptions) {
    this.options = options;
  }

  /** Whether the container can't carry what the publisher sends. */
  get isImpossible(): boolean {
    return this.support === 'impossible';
  }

  want(on: boolean): void {
    if (on === this.desired) return;
    this.desired = on;
    if (on) this.begin();
    else this.halt();
  }

  /** Starts over after the publisher has changed. */
  restart(): void {
    this.halt();
    this.support = undefined;
    this.leavesOutSound = false;
    if (this.desired) this.begin();
  }

  close(): void {
    this.desired = false;
    this.halt();
  }

  private begin(): void {
    this.run = this.options.start((support, leavesOutSound) => this.judged(support, leavesOutSound));
  }

  private judged(support: CodecSupport, leavesOutSound: boolean): void {
    const { log, name, onChange } = this.options;
    this.support = support;
    if (leavesOutSound && !this.leavesOutSound) log.warn(`${name}: the sound is not possible in this container`);
    this.leavesOutSound = leavesOutSound;
    if (support === 'impossible') log.warn(`${name}: a codec of the publisher is not possible in this container`);
    if (support === 'impossible' || leavesOutSound) onChange();
  }

  private halt(): void {
    this.run?.close();
    this.run = undefined;
  }
}

export type Conversions = ReturnType<typeof createConversions>;

export function createConversions(setting: Pick<ConversionOptions, 'log' | 'onChange'>, flv: FlvBus, ts: TsBus) {
  const muxer = new TsMuxer();
  return {
    toTs: new Conversion({
      ...setting,
      name: 'flv to ts',
      start: (onSupport) => startFlvToTs(flv, ts, muxer, onSupport),
    }),
    toFlv: new Conversion({
      ...setting,
      name: 'ts to flv',
      start: (onSupport) => startTsToFlv(ts, flv, onSupport),
    }),
  };
}
