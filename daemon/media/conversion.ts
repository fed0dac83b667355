/**
 * Makes the other shape of a channel, only while somebody wants it: our re-wrapper where it knows every codec of the
 * publisher, FFmpeg where only that one does, nobody where the container has no place for them.
 */
import type { Log } from '../lib/log.ts';
import type { Bridge } from './bridge.ts';
import { type BridgeSetting, createFlvToTs, createTsToFlv } from './bridges.ts';
import type { FlvBus } from './flv/flv-bus.ts';
import type { SpsReader } from './mpegts/stream-facts.ts';
import type { TsBus } from './mpegts/ts-bus.ts';
import type { ProcessLogEntry } from './protocol.ts';
import { startFlvToTs } from './rewrap/flv-to-ts-run.ts';
import { TsMuxer } from './rewrap/ts-muxer.ts';
import { type OnVerdict, type RewrapRun, startTsToFlv } from './rewrap/ts-to-flv-run.ts';
import type { Verdict } from './rewrap/verdict.ts';

export interface ConversionOptions {
  /** `ts to flv` or `flv to ts`, for people. */
  readonly name: string;
  readonly log: Log;
  readonly bridge: Bridge;
  readonly start: (onVerdict: OnVerdict) => RewrapRun;
  readonly onChange: () => void;
}

export class Conversion {
  private readonly options: ConversionOptions;
  private run: RewrapRun | undefined;
  private wanted = false;
  private verdict: Verdict | undefined;
  /** Only the picture is brought into the other container, which has no place for the sound. */
  leavesOutSound = false;

  constructor(options: ConversionOptions) {
    this.options = options;
  }

  /** The container has no place for what the publisher sends. */
  get isImpossible(): boolean {
    return this.verdict === 'impossible' || (this.verdict === 'ffmpeg' && this.options.bridge.isImpossible);
  }

  want(on: boolean): void {
    if (on === this.wanted) return;
    this.wanted = on;
    if (on) this.begin();
    else this.halt();
  }

  /** The publisher changed. */
  restart(): void {
    this.halt();
    this.verdict = undefined;
    this.leavesOutSound = false;
    this.options.bridge.restart();
    if (this.wanted) this.begin();
  }

  /** Of FFmpeg; the re-wrapper is no process. */
  log(): ProcessLogEntry | undefined {
    return this.options.bridge.log();
  }

  close(): void {
    this.wanted = false;
    this.halt();
    this.options.bridge.close();
  }

  private begin(): void {
    this.run = this.options.start((verdict, leavesOutSound) => this.judged(verdict, leavesOutSound));
  }

  private judged(verdict: Verdict, leavesOutSound: boolean): void {
    const { bridge, log, name, onChange } = this.options;
    this.verdict = verdict;
    if (leavesOutSound && !this.leavesOutSound) log.warn(`${name}: the sound is not possible in this container`);
    this.leavesOutSound = leavesOutSound;
    bridge.want(verdict === 'ffmpeg');
    if (verdict === 'impossible') log.warn(`${name}: a codec of the publisher is not possible in this container`);
    if (verdict !== 'own' || leavesOutSound) onChange();
  }

  private halt(): void {
    this.run?.close();
    this.run = undefined;
    this.options.bridge.want(false);
  }
}

export interface Conversions {
  readonly toTs: Conversion;
  readonly toFlv: Conversion;
}

/** `id` of the setting is the channel's. */
export function createConversions(setting: BridgeSetting, flv: FlvBus, ts: TsBus, readSps: SpsReader): Conversions {
  const { log, onChange, id } = setting;
  const muxer = new TsMuxer();
  return {
    toTs: new Conversion({
      ...{ name: 'flv to ts', log, onChange },
      bridge: createFlvToTs({ ...setting, id: `${id}t` }, flv, ts, readSps),
      start: (onVerdict) => startFlvToTs(flv, ts, muxer, onVerdict),
    }),
    toFlv: new Conversion({
      ...{ name: 'ts to flv', log, onChange },
      bridge: createTsToFlv({ ...setting, id: `${id}f` }, ts, flv),
      start: (onVerdict) => startTsToFlv(ts, flv, readSps, onVerdict),
    }),
  };
}
