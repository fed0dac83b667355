/**
 * The media engine: every packet of every stream. Its own process, which outlives the hub: a hub that stops, crashes or
 * is upgraded interrupts no stream.
 */

import { createLog, type Log, type LogLevel } from '../lib/log.ts';
import { type FoldedLog, foldRepeats } from '../lib/log-repeats.ts';
import { socketPath } from '../lib/socket-path.ts';
import { surviveRejections } from '../lib/survive-rejections.ts';
import { timing } from '../timing.ts';
import type { FetchSource, OutputTarget } from './addresses.ts';
import { createAnswers } from './answers.ts';
import { ringBudget } from './bus.ts';
import { createCallers } from './callers.ts';
import { Cast } from './cast.ts';
import { Channel, type ChannelPorts } from './channel.ts';
import { confinementPart } from './confinement.ts';
import { type Control, openControl } from './control.ts';
import { createDescriptors, type Descriptors, ownDescriptors } from './descriptors.ts';
import { type EngineDoors, openDoors } from './doors.ts';
import { createEngineParts, type EngineParts } from './engine-parts.ts';
import { createFfmpegLookout, type FfmpegLookout } from './ffmpeg/lookout.ts';
import { logToHub } from './hub-log.ts';
import type { Attempt, AttemptEvents } from './leg.ts';
import { openInput } from './open-input.ts';
import { openOutput } from './open-output.ts';
import { createPlayerPlaces } from './player-places.ts';
import { createPreviews, type Previews } from './preview/previews.ts';
import { type EngineRequest, engineProtocol, type HubToEngine, type RingMemory } from './protocol.ts';
import { readSps } from './read-sps.ts';
import { createSourceTests, type SourceTests } from './source-tests.ts';
import { deferredAttempt } from './spread.ts';
import { createStartOrder } from './start-order.ts';
import type { EnginePart } from './status.ts';
import type { WantedState } from './wanted.ts';

export interface EngineOptions {
  readonly dataDir: string;
  readonly ffmpeg: string;
  /** Path of the SRT endpoint program. */
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  readonly logLevel: LogLevel;
}

const tickMs = 1000;
const recheckTicks = Math.max(1, Math.round(timing.engine.recheckMs / tickMs));
/** Changes of state within this time go to the hub together. */
const gatherMs = 50;

/** Runs until it is told to stop; resolves with the exit code. */
export async function runEngine(options: EngineOptions): Promise<number> {
  const log = createLog(options.logLevel).in('media');
  const engine = new Engine(options, log);
  const reason = await engine.run();
  log.info('stopped', { reason });
  return 0;
}

class Engine {
  private readonly startedAt = Date.now();
  private readonly folded: FoldedLog;
  private readonly log: Log;
  private readonly control: Control;
  private readonly parts: EngineParts;
  private readonly ffmpeg: FfmpegLookout;
  private readonly cast: Cast;
  private readonly callers = createCallers();
  private readonly descriptors: Descriptors;
  private readonly doors: EngineDoors;
  private readonly order = createStartOrder();
  private readonly tests: SourceTests;
  private readonly previews: Previews;
  private readonly answer: ReturnType<typeof createAnswers>;
  private generation = 0;
  private ticks = 0;
  private knownMemory = 0;
  private gatherTimer: ReturnType<typeof setTimeout> | undefined;
  private stop: (reason: string) => void = () => undefined;

  constructor({ dataDir, ffmpeg, srtEndpoint, udpEndpoint }: EngineOptions, log: Log) {
    const path = (name: string) => socketPath(dataDir, name);
    this.control = openControl({
      path: path('engine'),
      // What is said of the hub's coming and going isn't for the hub.
      log,
      onMessage: (message) => this.receive(message),
      onOpen: () => this.greet(),
    });
    const shown = logToHub(log, (level, text) => this.control.send({ type: 'event', at: Date.now(), level, text }));
    this.folded = foldRepeats(shown, { windowMs: timing.log.foldMs, now: performance.now.bind(performance) });
    this.log = this.folded.log;
    this.parts = createEngineParts(this.log, (parts) => this.control.send({ type: 'parts', parts }));
    const onPart = (part: EnginePart) => {
      this.order.heard(part.name);
      this.parts.set(part);
    };
    this.parts.set(confinementPart(dataDir));
    const onPartDropped = (name: EnginePart['name']) => this.parts.drop(name);
    this.descriptors = createDescriptors({ count: ownDescriptors(), onPart, onPartDropped });
    this.ffmpeg = createFfmpegLookout(ffmpeg, onPart);
    const tools = { ffmpeg: () => this.ffmpeg.path, socketPath: path };
    this.cast = new Cast((staged) => new Channel(staged, ports));
    this.doors = openDoors({
      ...{ log: this.log, cast: this.cast, callers: this.callers, srtEndpoint, udpEndpoint, tools, onPart },
      onPartDropped,
    });
    const ports = this.channelPorts();
    this.tests = createSourceTests({ ports, ffmpeg: this.ffmpeg, cast: this.cast });
    this.previews = createPreviews({ ffmpeg: tools.ffmpeg, source: (id) => this.cast.pictureSource(id) });
    this.answer = createAnswers({ cast: this.cast, tests: this.tests, previews: this.previews });
  }

  async run(): Promise<string> {
    const stopped = new Promise<string>((resolve) => {
      this.stop = resolve;
    });
    // One task that fails shall not end every stream.
    surviveRejections(this.log);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stop(signal));
    // The terminal of the hub that started this process may be gone.
    process.on('SIGHUP', () => undefined);
    const timer = setInterval(() => this.tick(), tickMs);
    this.doors.openPreview();
    const reason = await stopped;
    clearInterval(timer);
    await this.close(reason);
    return reason;
  }

  private channelPorts(): ChannelPorts {
    const { doors } = this;
    return {
      log: this.log,
      bridge: doors.tools,
      feeds: { srt: doors.srt.feed, udp: doors.udp.feed },
      readSps,
      playerPlaces: createPlayerPlaces({ boundKey: this.callers.boundKey, descriptors: this.descriptors }),
      openOutput: (channel, outputId, target, events) =>
        this.inOrder(target, events, () => openOutput(doors, channel, outputId, target, events)),
      openInput: (channel, source, events) => {
        const open = () => openInput(doors, channel, source, events);
        // Those take what another channel of ours has fetched.
        return source.protocol === 'tap' || source.protocol === 'failover'
          ? open()
          : this.inOrder(source, events, open);
      },
      onChange: () => this.changed(),
    };
  }

  private inOrder(address: FetchSource | OutputTarget, { ended }: AttemptEvents, open: () => Attempt): Attempt {
    const ready = this.order.wait(address);
    return ready === undefined ? open() : deferredAttempt(ready, open, ended);
  }

  private greet(): void {
    this.control.send({
      type: 'hello',
      protocol: engineProtocol,
      pid: process.pid,
      startedAt: this.startedAt,
      parts: this.parts.list(),
    });
    this.report();
  }

  private receive(message: HubToEngine): void {
    if (message.type === 'wanted') this.apply(message.state);
    else if (message.type === 'stop') this.stop(message.reason);
    else void this.reply(message.id, message.ask);
  }

  private async reply(id: number, ask: EngineRequest): Promise<void> {
    this.control.send({ type: 'reply', id, reply: await this.answer(ask) });
  }

  /** Moves to the wanted state; what didn't change isn't touched. */
  private apply({ generation, settings, channels }: WantedState): void {
    this.doors.apply(settings, channels);
    this.cast.apply(channels);
    // Its table of keys is made of the channels.
    this.doors.srt.apply({ bind: settings.bind, ...settings.srt });
    this.changed();
    this.doors.srt.whenKeysHold(() => {
      this.generation = generation;
      this.reportAtOnce();
    });
  }

  private tick(): void {
    this.descriptors.tick();
    this.doors.tick();
    this.cast.tick(performance.now());
    if (++this.ticks % recheckTicks === 0) this.recheckParts();
    this.report();
  }

  private recheckParts(): void {
    this.doors.retry();
    this.ffmpeg.look();
  }

  private changed(): void {
    this.doors.srt.keysChanged();
    this.gatherTimer ??= setTimeout(() => this.reportAtOnce(), gatherMs);
  }

  private reportAtOnce(): void {
    clearTimeout(this.gatherTimer);
    this.gatherTimer = undefined;
    this.report();
  }

  private report(): void {
    if (!this.control.isConnected) return;
    this.control.send({
      type: 'status',
      at: Date.now(),
      generation: this.generation,
      memoryBytes: this.memoryBytes(),
      rings: this.rings(),
      channels: this.cast.status(),
    });
  }

  private rings(): RingMemory {
    const endpoint = this.doors.srt.rings();
    return { bytes: ringBudget.used + endpoint.bytes, limit: ringBudget.limit + endpoint.limit };
  }

  /** Reading it takes a descriptor. While none is left, the status is sent with what was known before. */
  private memoryBytes(): number {
    try {
      this.knownMemory = process.memoryUsage.rss();
    } catch {
      // What runs is not ended for that.
    }
    return this.knownMemory;
  }

  private async close(reason: string): Promise<void> {
    clearTimeout(this.gatherTimer);
    this.tests.close();
    this.previews.close();
    this.cast.close(reason);
    await this.doors.close(reason);
    this.folded.flush();
    this.control.close();
  }
}
