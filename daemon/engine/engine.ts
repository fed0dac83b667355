/**
 * The media engine: every packet of every stream. It is a process of its own that outlives the hub, so a hub that
 * stops, crashes or is upgraded does not interrupt streams.
 */

import { createLog, type Log, type LogLevel } from '../lib/log.ts';
import { type FoldedLog, foldRepeats } from '../lib/log-repeats.ts';
import { socketPath } from '../lib/socket-path.ts';
import { surviveRejections } from '../lib/survive-rejections.ts';
import type { DesiredState } from '../media/protocol/desired.ts';
import { type EngineRequest, engineProtocol, type HubToEngine, type RingMemory } from '../media/protocol/messages.ts';
import type { EnginePart } from '../media/protocol/reported.ts';
import type { FetchSource, OutputTarget } from '../sources/stream-address.ts';
import { timing } from '../timing.ts';
import { type EngineAdapters, openAdapters } from './adapters.ts';
import { ringBudget } from './bus/bus.ts';
import { Channel, type ChannelPorts } from './channel/channel.ts';
import { ChannelRegistry } from './channel/channel-registry.ts';
import { createPlayerPlaces } from './channel/player-places.ts';
import { createEngineParts, type EngineParts } from './components.ts';
import { confinementPart } from './confinement.ts';
import { deferredAttempt } from './connect-stagger.ts';
import type { Attempt, AttemptEvents } from './connection/connection.ts';
import { type Control, openControl } from './control.ts';
import { createFfmpegDetector, type FfmpegDetector } from './ffmpeg/detector.ts';
import { logToHub } from './hub-log.ts';
import { openInput } from './input-factory.ts';
import { createCallers } from './net/callers.ts';
import { createDescriptors, type Descriptors, ownDescriptors } from './net/descriptors.ts';
import { openOutput } from './output-factory.ts';
import { createPreviews, type Previews } from './preview/previews.ts';
import { createSourceTests, type SourceTests } from './probe/source-tests.ts';
import { createRequestHandler } from './requests.ts';
import { createStartOrder } from './start-order.ts';

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
/** State changes within this time are sent to the hub together. */
const gatherMs = 50;

/** Runs until it is stopped. Resolves with the exit code. */
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
  private readonly ffmpeg: FfmpegDetector;
  private readonly registry: ChannelRegistry;
  private readonly callers = createCallers();
  private readonly descriptors: Descriptors;
  private readonly adapters: EngineAdapters;
  private readonly order = createStartOrder();
  private readonly tests: SourceTests;
  private readonly previews: Previews;
  private readonly answer: ReturnType<typeof createRequestHandler>;
  private generation = 0;
  private ticks = 0;
  private knownMemory = 0;
  private gatherTimer: ReturnType<typeof setTimeout> | undefined;
  private stop: (reason: string) => void = () => undefined;

  constructor({ dataDir, ffmpeg, srtEndpoint, udpEndpoint }: EngineOptions, log: Log) {
    const path = (name: string) => socketPath(dataDir, name);
    this.control = openControl({
      path: path('engine'),
      // Log lines about the hub's connections are not sent to the hub.
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
    this.ffmpeg = createFfmpegDetector(ffmpeg, onPart);
    const tools = { ffmpeg: () => this.ffmpeg.path, socketPath: path };
    this.registry = new ChannelRegistry((planned) => new Channel(planned, ports));
    this.adapters = openAdapters({
      ...{ log: this.log, registry: this.registry, callers: this.callers, srtEndpoint, udpEndpoint, tools, onPart },
      onPartDropped,
    });
    const ports = this.channelPorts();
    this.tests = createSourceTests({ ports, ffmpeg: this.ffmpeg, registry: this.registry });
    this.previews = createPreviews({ ffmpeg: tools.ffmpeg, source: (id) => this.registry.pictureSource(id) });
    this.answer = createRequestHandler({ registry: this.registry, tests: this.tests, previews: this.previews });
  }

  async run(): Promise<string> {
    const stopped = new Promise<string>((resolve) => {
      this.stop = resolve;
    });
    // One failed task must not end every stream.
    surviveRejections(this.log);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stop(signal));
    // The terminal of the hub that started this process may be gone.
    process.on('SIGHUP', () => undefined);
    const timer = setInterval(() => this.tick(), tickMs);
    this.adapters.openPreview();
    const reason = await stopped;
    clearInterval(timer);
    await this.close(reason);
    return reason;
  }

  private channelPorts(): ChannelPorts {
    const { adapters } = this;
    return {
      log: this.log,
      feeds: { srt: adapters.srt.feed, udp: adapters.udp.feed },
      playerPlaces: createPlayerPlaces({ boundKey: this.callers.boundKey, descriptors: this.descriptors }),
      openOutput: (channel, outputId, target, events) =>
        this.inOrder(target, events, () => openOutput(adapters, channel, outputId, target, events)),
      openInput: (channel, source, events) => {
        const open = () => openInput(adapters, channel, source, events);
        // These read what another channel of the engine has pulled.
        return source.protocol === 'shared' || source.protocol === 'failover'
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
    if (message.type === 'desired') this.apply(message.state);
    else if (message.type === 'stop') this.stop(message.reason);
    else void this.reply(message.id, message.ask);
  }

  private async reply(id: number, ask: EngineRequest): Promise<void> {
    this.control.send({ type: 'reply', id, reply: await this.answer(ask) });
  }

  /** Applies the desired state. Unchanged parts are not touched. */
  private apply({ generation, settings, channels }: DesiredState): void {
    this.adapters.apply(settings, channels);
    this.registry.apply(channels);
    // Its key table is built from the channels.
    this.adapters.srt.apply({ bind: settings.bind, ...settings.srt });
    this.changed();
    this.adapters.srt.whenKeysHold(() => {
      this.generation = generation;
      this.reportAtOnce();
    });
  }

  private tick(): void {
    this.descriptors.tick();
    this.adapters.tick();
    this.registry.tick(performance.now());
    if (++this.ticks % recheckTicks === 0) this.recheckParts();
    this.report();
  }

  private recheckParts(): void {
    this.adapters.retry();
    this.ffmpeg.look();
  }

  private changed(): void {
    this.adapters.srt.keysChanged();
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
      channels: this.registry.status(),
    });
  }

  private rings(): RingMemory {
    const endpoint = this.adapters.srt.rings();
    return { bytes: ringBudget.used + endpoint.bytes, limit: ringBudget.limit + endpoint.limit };
  }

  /** Reading takes a file descriptor. While none is left, the status contains the last known value. */
  private memoryBytes(): number {
    try {
      this.knownMemory = process.memoryUsage.rss();
    } catch {
      // Not a reason to end running streams.
    }
    return this.knownMemory;
  }

  private async close(reason: string): Promise<void> {
    clearTimeout(this.gatherTimer);
    this.tests.close();
    this.previews.close();
    this.registry.close(reason);
    await this.adapters.close(reason);
    this.folded.flush();
    this.control.close();
  }
}
