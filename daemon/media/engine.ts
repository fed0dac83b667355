/**
 * The media engine: every packet of every stream. Its own process, which outlives the hub: a hub that stops, crashes or
 * is upgraded interrupts no stream.
 */
import { isDeepStrictEqual } from 'node:util';
import { createLog, type Log, type LogFields, type LogLevel, withFields } from '../lib/log.ts';
import { socketPath } from '../lib/socket-path.ts';
import type { FetchSource, OutputTarget } from './addresses.ts';
import { Channel, type ChannelPorts } from './channel.ts';
import { type Control, openControl } from './control.ts';
import { checkFfmpeg } from './ffmpeg/version.ts';
import { createHttpDoor, type HttpDoor } from './http-door.ts';
import { createKeyTable } from './key-table.ts';
import type { Attempt } from './leg.ts';
import { createNdiPort, type NdiPort, wantsNdi } from './ndi/port.ts';
import { openInput } from './open-input.ts';
import { openOutput } from './open-output.ts';
import type { PictureSource } from './preview/key-picture.ts';
import { createPreviews, type Previews } from './preview/previews.ts';
import { type EngineReply, type EngineRequest, engineProtocol, type HubToEngine } from './protocol.ts';
import { createRateRing } from './rate.ts';
import { readSps } from './read-sps.ts';
import { createRtmpDoor, type RtmpDoor } from './rtmp-door.ts';
import { createRtspDoor, type RtspDoor } from './rtsp-door.ts';
import type { FfmpegTools } from './rtsp-input.ts';
import { createSourceTests, type SourceTests } from './source-tests.ts';
import { deferredAttempt } from './spread.ts';
import { createSrtDoor, type SrtDoor } from './srt-door.ts';
import { type Owners, type StagedChannel, stage } from './staging.ts';
import { createStartOrder } from './start-order.ts';
import type { EnginePart } from './status.ts';
import { createUdpDoor, type UdpDoor } from './udp-door.ts';
import type { EngineSettings, WantedChannel, WantedState } from './wanted.ts';

export interface EngineOptions {
  readonly dataDir: string;
  readonly ffmpeg: string;
  /** Path of the SRT endpoint program. */
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  readonly logLevel: LogLevel;
}

const tickMs = 1000;
/** How often a part that is missing is looked for again: a port that was occupied, an FFmpeg that was installed. */
const recheckTicks = 5;
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
  private readonly options: EngineOptions;
  private readonly log: Log;
  private readonly startedAt = Date.now();
  private channels = new Map<number, Channel>();
  /** Channels that the hub doesn't know: they have an input for others. */
  private feeders = new Map<number, Channel>();
  private owners: Owners = new Map();
  /** Those that a source is tested on. */
  private readonly backstage = new Map<number, Channel>();
  private readonly tests: SourceTests;
  private readonly previews: Previews;
  private readonly keys = createKeyTable();
  private readonly order = createStartOrder();
  private readonly parts = new Map<EnginePart['name'], EnginePart>();
  private readonly totals = { in: createRateRing(), out: createRateRing() };
  private readonly control: Control;
  private readonly rtmp: RtmpDoor;
  private readonly http: HttpDoor;
  readonly srt: SrtDoor;
  readonly udp: UdpDoor;
  readonly rtsp: RtspDoor;
  readonly tools: FfmpegTools;
  readonly ndi: NdiPort;
  private readonly ports: ChannelPorts;
  private generation = 0;
  private settings: EngineSettings | undefined;
  private ticks = 0;
  private isLookingForFfmpeg = false;
  /** The first look: who needs FFmpeg right after the start waits for it. */
  private firstLook: Promise<void> = Promise.resolve();
  private gatherTimer: ReturnType<typeof setTimeout> | undefined;
  private ffmpeg: string | undefined;
  private stop: (reason: string) => void = () => undefined;

  constructor(options: EngineOptions, log: Log) {
    this.options = options;
    this.log = this.reporting(log);
    const path = (name: string) => socketPath(options.dataDir, name);
    const onPart = (part: EnginePart) => this.setPart(part);
    const find = (key: string) => {
      const owner = this.keys.find(key);
      const channel = owner && this.find(owner.channelId);
      return channel && { channel, kind: owner.kind };
    };
    this.rtmp = createRtmpDoor({ log: this.log.in('rtmp'), find, onPart });
    this.http = createHttpDoor({
      ...{ find, onPart },
      preview: { socketPath: path('preview'), channel: (id) => this.channels.get(id) },
    });
    this.srt = createSrtDoor({
      binary: options.srtEndpoint,
      socketPath: path('srt'),
      log: this.log.in('srt'),
      channel: (id) => this.find(id),
      channels: () => this.allChannels(),
      readSps,
      onPart,
    });
    this.udp = createUdpDoor({
      binary: options.udpEndpoint,
      socketPath: path('udp'),
      log: this.log.in('udp'),
      channels: () => this.allChannels(),
      onPart,
    });
    this.rtsp = createRtspDoor(this.log.in('rtsp'));
    this.ndi = createNdiPort({ env: process.env, onPart: (part) => (part ? onPart(part) : this.dropPart('ndi')) });
    this.tools = { ffmpeg: () => this.ffmpeg, socketPath: path };
    this.ports = {
      log: this.log,
      bridge: this.tools,
      feeds: { srt: this.srt.feed, udp: this.udp.feed },
      readSps,
      openOutput: (channel, outputId, target, events) =>
        this.inOrder(target, () => openOutput(this, channel, outputId, target, events)),
      openInput: (channel, source, events) => {
        const open = () => openInput(this, channel, source, events);
        // Those take what another channel of ours has fetched.
        return source.protocol === 'tap' || source.protocol === 'failover' ? open() : this.inOrder(source, open);
      },
      onChange: () => this.changed(),
    };
    this.tests = createSourceTests({
      ports: this.ports,
      ffmpeg: this.tools.ffmpeg,
      backstage: this.backstage,
      onAir: (inputId, source) => this.onAir(inputId, source),
    });
    this.previews = createPreviews({ ffmpeg: this.tools.ffmpeg, source: (id) => this.pictureSource(id) });
    this.control = openControl({
      path: path('engine'),
      log: this.log,
      onMessage: (message) => this.receive(message),
      onOpen: () => this.greet(),
    });
  }

  async run(): Promise<string> {
    const stopped = new Promise<string>((resolve) => {
      this.stop = resolve;
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stop(signal));
    // The terminal of the hub that started this process may be gone.
    process.on('SIGHUP', () => undefined);
    const timer = setInterval(() => this.tick(), tickMs);
    this.http.openPreview();
    this.firstLook = this.findFfmpeg();
    const reason = await stopped;
    clearInterval(timer);
    await this.close(reason);
    return reason;
  }

  private async findFfmpeg(): Promise<void> {
    if (this.isLookingForFfmpeg) return;
    this.isLookingForFfmpeg = true;
    const part = await checkFfmpeg(this.options.ffmpeg);
    this.isLookingForFfmpeg = false;
    if (part.ok) this.ffmpeg = this.options.ffmpeg;
    this.setPart(part);
  }

  private recheckParts(): void {
    if (this.settings) this.listen(this.settings);
    this.srt.retry();
    this.ndi.retry();
    if (!this.ffmpeg) void this.findFfmpeg();
  }

  private listen({ bind, rtmpPort, hlsPort }: EngineSettings): void {
    this.rtmp.listen(bind, rtmpPort);
    this.http.listen(bind, hlsPort);
    this.rtsp.apply(bind);
  }

  /** The log whose warnings the hub shows too. */
  private reporting(log: Log): Log {
    const send = (level: 'info' | 'warn' | 'error', message: string, fields?: LogFields) =>
      this.control?.send({ type: 'event', at: Date.now(), level, text: withFields(message, fields) });
    const wrap = (inner: Log): Log => ({
      debug: inner.debug,
      info: (message, fields) => {
        inner.info(message, fields);
        send('info', message, fields);
      },
      warn: (message, fields) => {
        inner.warn(message, fields);
        send('warn', message, fields);
      },
      error: (message, fields) => {
        inner.error(message, fields);
        send('error', message, fields);
      },
      in: (scope) => wrap(inner.in(scope)),
    });
    return wrap(log);
  }

  private inOrder(address: FetchSource | OutputTarget, open: () => Attempt): Attempt {
    const ready = this.order.wait(address);
    return ready === undefined ? open() : deferredAttempt(ready, open);
  }

  private setPart(part: EnginePart): void {
    this.order.heard(part.name);
    const before = this.parts.get(part.name);
    if (JSON.stringify(before) === JSON.stringify(part)) return;
    this.parts.set(part.name, part);
    if (!part.ok && before?.message !== part.message) this.log.error(part.message ?? `${part.name} can't be used`);
    if (part.ok && before?.ok === false) this.log.info(`${part.name} can be used again`);
    this.control.send({ type: 'parts', parts: [...this.parts.values()] });
  }

  /** Nobody needs it any longer. */
  private dropPart(name: EnginePart['name']): void {
    if (this.parts.delete(name)) this.control.send({ type: 'parts', parts: [...this.parts.values()] });
  }

  private greet(): void {
    this.control.send({
      type: 'hello',
      protocol: engineProtocol,
      pid: process.pid,
      startedAt: this.startedAt,
      parts: [...this.parts.values()],
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

  private find(id: number): Channel | undefined {
    return this.channels.get(id) ?? this.feeders.get(id) ?? this.backstage.get(id);
  }

  /** For those that take its stream. */
  readonly feeder = (id: number): Channel | undefined => this.channels.get(id) ?? this.feeders.get(id);

  private *allChannels(): Iterable<Channel> {
    yield* this.channels.values();
    yield* this.feeders.values();
    yield* this.backstage.values();
  }

  private pictureSource(id: number): PictureSource | undefined {
    const channel = this.channels.get(id);
    return channel && { shape: channel.input.current?.shape, flv: channel.flv, ts: channel.ts };
  }

  private onAir(inputId: number, source: FetchSource): Channel | undefined {
    const has = ({ config, input }: Channel) =>
      config.inputId === inputId && isDeepStrictEqual(config.input, source) && input.current !== undefined;
    return inputId === 0 ? undefined : [...this.allChannels()].find(has);
  }

  /** Moves to the wanted state; what didn't change isn't touched. */
  private apply(state: WantedState): void {
    const { bind, srt } = state.settings;
    this.settings = state.settings;
    this.listen(state.settings);
    this.ndi.want(state.channels.some(wantsNdi));
    this.cast(state.channels);
    this.srt.apply({ bind, ...srt });
    this.generation = state.generation;
    this.changed();
  }

  private cast(wanted: readonly WantedChannel[]): void {
    const { channels, feeders, owners } = stage(wanted, this.owners);
    this.owners = owners;
    this.keys.replace([...channels, ...feeders]);
    const staged = [...channels, ...feeders];
    const found = new Map([...this.channels, ...this.feeders]);
    const kept = new Set(staged.map(({ id }) => id));
    // What gives an input up comes before what takes it over.
    for (const [id, channel] of found) if (!kept.has(id)) channel.close('channel deleted');
    for (const one of staged) found.get(one.id)?.apply(one);
    const put = (one: StagedChannel) => [one.id, found.get(one.id) ?? new Channel(one, this.ports)] as const;
    this.channels = new Map(channels.map(put));
    this.feeders = new Map(feeders.map(put));
  }

  private async answer(ask: EngineRequest): Promise<EngineReply> {
    if (ask.what === 'test') {
      await this.firstLook;
      const outcome = await this.tests.run(ask.test, ask.inputId, ask.source);
      return outcome ? { what: 'tested', outcome } : { what: 'error', text: 'too many tests at a time' };
    }
    if (ask.what === 'endTest') {
      this.tests.end(ask.test);
      return { what: 'done' };
    }
    if (ask.what === 'pictures') return this.pictures(ask);
    if (ask.what === 'history' && ask.channelId === null) return this.history(this.totals);
    const channel = ask.channelId === null ? undefined : this.channels.get(ask.channelId);
    return channel ? this.answerOf(channel, ask) : { what: 'error', text: 'no such channel' };
  }

  private pictures({ channels, after }: Extract<EngineRequest, { what: 'pictures' }>): EngineReply {
    const list = this.previews.look(channels, after);
    return { what: 'pictures', list: list.map((one) => ({ ...one, jpeg: one.jpeg.toString('base64') })) };
  }

  private answerOf(
    channel: Channel,
    ask: Exclude<EngineRequest, { what: 'test' | 'endTest' | 'pictures' }>,
  ): EngineReply {
    if (ask.what === 'history') return this.history(channel.rates);
    if (ask.what === 'quality') return quality(channel, ask);
    if (ask.what === 'log') return { what: 'log', list: channel.logs() };
    if (ask.what === 'switch') {
      const refused = channel.input.switchTo(ask.to);
      return refused ? { what: 'error', text: refused } : { what: 'done' };
    }
    const found = channel.clients.disconnect(ask.clientId, 'disconnected by an operator');
    return found ? { what: 'done' } : { what: 'error', text: 'no such client' };
  }

  private history(rates: Channel['rates']): EngineReply {
    const history = { stepSeconds: tickMs / 1000, end: Date.now(), in: rates.in.values(), out: rates.out.values() };
    return { what: 'history', history };
  }

  private tick(): void {
    const now = performance.now();
    this.udp.tick();
    this.http.tick();
    this.rtsp.tick();
    const sum = { in: 0, out: 0 };
    for (const channel of this.channels.values()) {
      channel.tick(now);
      // What is tapped came in once.
      if (!channel.input.isTapped) sum.in += channel.input.kbps;
      sum.out += channel.outKbps;
    }
    for (const feeder of this.feeders.values()) {
      feeder.tick(now);
      sum.in += feeder.input.kbps;
    }
    this.totals.in.push(sum.in);
    this.totals.out.push(sum.out);
    if (++this.ticks % recheckTicks === 0) this.recheckParts();
    this.report();
  }

  private changed(): void {
    this.srt.keysChanged();
    this.gatherTimer ??= setTimeout(() => {
      this.gatherTimer = undefined;
      this.report();
    }, gatherMs);
  }

  private report(): void {
    if (!this.control.isConnected) return;
    this.control.send({
      type: 'status',
      at: Date.now(),
      generation: this.generation,
      memoryBytes: process.memoryUsage.rss(),
      channels: [...this.channels.values()].map((channel) => channel.status()),
    });
  }

  private async close(reason: string): Promise<void> {
    clearTimeout(this.gatherTimer);
    this.tests.close();
    this.previews.close();
    for (const channel of this.allChannels()) channel.close(reason);
    this.rtmp.close(reason);
    this.http.close();
    await Promise.all([this.srt.close(), this.udp.close()]);
    this.control.close();
  }
}

function quality(channel: Channel, { leg, minutes }: Extract<EngineRequest, { what: 'quality' }>): EngineReply {
  const meter = channel.quality(leg);
  if (!meter) return { what: 'error', text: 'no such connection' };
  const history = meter.history(minutes);
  return { what: 'quality', ...(history && { history: { ...history, end: Date.now() } }) };
}
