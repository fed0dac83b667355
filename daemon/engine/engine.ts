/**
 * The media engine: every packet of every stream. It is a process of its own that outlives the hub, so a hub that
 * stops, crashes or is upgraded does not interrupt streams.
 */

import { openMessageServer } from '../ipc/message-server.ts';
import { createLog, type Log, type LogLevel } from '../lib/log.ts';
import { foldRepeats } from '../lib/log-repeats.ts';
import { shareInterval } from '../lib/shared-interval.ts';
import { socketPath } from '../lib/socket-path.ts';
import { surviveRejections } from '../lib/survive-rejections.ts';
import type { DesiredState } from '../media/protocol/desired.ts';
import {
  type EngineMessages,
  type EngineRequest,
  engineProtocol,
  type HubToEngine,
} from '../media/protocol/messages.ts';
import type { EnginePart } from '../media/protocol/reported.ts';
import { timing } from '../timing.ts';
import { openAdapters } from './adapters.ts';
import { ringBudget } from './bus/bus.ts';
import { Channel, type ChannelPorts } from './channel/channel.ts';
import { ChannelRegistry } from './channel/channel-registry.ts';
import { createPlayerPlaces } from './channel/player-places.ts';
import { createEngineParts } from './components.ts';
import { confinementPart } from './confinement.ts';
import { createFfmpegDetector } from './ffmpeg/detector.ts';
import { logToHub } from './hub-log.ts';
import { createCallers } from './net/callers.ts';
import { createDescriptors, ownDescriptors } from './net/descriptors.ts';
import { createPreviews } from './preview/previews.ts';
import { createSourceTests } from './probe/source-tests.ts';
import { openInput, openOutput } from './protocols.ts';
import { createRequestHandler } from './requests.ts';
import { createStartOrder } from './start-order.ts';

export interface EngineOptions {
  readonly dataDir: string;
  readonly ffmpeg: string;
  /** Path of the SRT endpoint program. */
  readonly rtmpEndpoint: string;
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
  const reason = await createEngine(options, log).run();
  log.info('stopped', { reason });
  return 0;
}

function createEngine({ dataDir, ffmpeg, rtmpEndpoint, srtEndpoint, udpEndpoint }: EngineOptions, ownLog: Log) {
  const startedAt = Date.now();
  const stopped = Promise.withResolvers<string>();
  const path = (name: string) => socketPath(dataDir, name);
  const control = openMessageServer<EngineMessages>({
    path: path('engine'),
    // Log lines about the hub's connections are not sent to the hub.
    log: ownLog,
    onMessage: receive,
    onOpen: greet,
  });
  const shown = logToHub(ownLog, (level, text) => control.send({ type: 'event', at: Date.now(), level, text }));
  const folded = foldRepeats(shown, { windowMs: timing.log.foldMs, now: performance.now.bind(performance) });
  const { log } = folded;
  const order = createStartOrder();
  const parts = createEngineParts(log, (list) => control.send({ type: 'parts', parts: list }));
  const onPart = (part: EnginePart) => {
    order.heard(part.name);
    parts.set(part);
  };
  const onPartDropped = (name: EnginePart['name']) => parts.drop(name);
  parts.set(confinementPart(dataDir));
  const callers = createCallers();
  const descriptors = createDescriptors({ count: ownDescriptors(), onPart, onPartDropped });
  const detector = createFfmpegDetector(ffmpeg, onPart);
  const tools = { ffmpeg: () => detector.path, socketPath: path };
  const registry = new ChannelRegistry((planned) => new Channel(planned, ports));
  const adapters = openAdapters({
    log,
    registry,
    callers,
    dataDir,
    rtmpEndpoint,
    srtEndpoint,
    udpEndpoint,
    tools,
    onPart,
    onPartDropped,
  });
  const ports: ChannelPorts = {
    log,
    feeds: { srt: adapters.srt.feed, udp: adapters.udp.feed },
    playerPlaces: createPlayerPlaces({ boundKey: callers.boundKey, descriptors }),
    ready: (address) => order.wait(address),
    openOutput: (...connection) => openOutput(adapters, ...connection),
    openInput: (...connection) => openInput(adapters, ...connection),
    onChange: changed,
  };
  const tests = createSourceTests({ ports, ffmpeg: detector, registry });
  const previews = createPreviews({ ffmpeg: tools.ffmpeg, source: (name) => registry.pictureSource(name) });
  const answer = createRequestHandler({ registry, tests, previews, restart: adapters.restart });
  let generation = 0;
  let ticks = 0;
  let knownMemory = 0;
  let gatherTimer: ReturnType<typeof setTimeout> | undefined;

  function greet(): void {
    control.send({ type: 'hello', protocol: engineProtocol, pid: process.pid, startedAt, parts: parts.list() });
    report();
  }

  function receive(message: HubToEngine): void {
    if (message.type === 'desired') apply(message.state);
    else if (message.type === 'stop') stopped.resolve(message.reason);
    else void reply(message.id, message.ask);
  }

  async function reply(id: number, ask: EngineRequest): Promise<void> {
    control.send({ type: 'reply', id, reply: await answer(ask) });
  }

  /** Applies the desired state. Unchanged parts are not touched. */
  function apply({ generation: next, settings, channels }: DesiredState): void {
    adapters.apply(settings, channels);
    registry.apply(channels);
    // Its key table is built from the channels.
    adapters.srt.apply({ bind: settings.bind, ...settings.srt });
    changed();
    adapters.srt.whenInEffect(() => {
      generation = next;
      reportAtOnce();
    });
  }

  function tick(): void {
    descriptors.tick();
    adapters.tick();
    registry.tick(performance.now());
    if (++ticks % recheckTicks === 0) {
      adapters.retry();
      detector.look();
    }
    report();
  }

  function changed(): void {
    adapters.srt.keysChanged();
    gatherTimer ??= setTimeout(reportAtOnce, gatherMs);
  }

  function reportAtOnce(): void {
    clearTimeout(gatherTimer);
    gatherTimer = undefined;
    report();
  }

  function report(): void {
    if (!control.isConnected) return;
    const endpoint = adapters.srt.rings();
    control.send({
      type: 'status',
      at: Date.now(),
      generation,
      memoryBytes: memoryBytes(),
      rings: { bytes: ringBudget.used + endpoint.bytes, limit: ringBudget.limit + endpoint.limit },
      channels: registry.status(),
    });
  }

  /** Reading takes a file descriptor. While none is left, the status contains the last known value. */
  function memoryBytes(): number {
    try {
      knownMemory = process.memoryUsage.rss();
    } catch {
      // Not a reason to end running streams.
    }
    return knownMemory;
  }

  async function close(reason: string): Promise<void> {
    clearTimeout(gatherTimer);
    tests.close();
    previews.close();
    registry.close(reason);
    await adapters.close(reason);
    folded.flush();
    control.close();
  }

  return {
    async run(): Promise<string> {
      // One failed task must not end every stream.
      surviveRejections(log);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.resolve(signal));
      // The terminal of the hub that started this process may be gone.
      process.on('SIGHUP', () => undefined);
      const endTicks = shareInterval(tickMs, tick);
      adapters.openPreview();
      const reason = await stopped.promise;
      endTicks();
      await close(reason);
      return reason;
    },
  };
}
