/** Where SRT connections meet channels. The endpoint checks keys before it accepts; here only channels are told. */
import type { Log } from '../lib/log.ts';
import type { Channel } from './channel.ts';
import type { Publisher } from './channel-input.ts';
import { createEndpoint, type Endpoint } from './endpoint/endpoint.ts';
import type { FeedPort } from './endpoint/feed.ts';
import { createTsSink, type SpsReader, type TsSink } from './mpegts/ts-sink.ts';
import type { EnginePart, EngineSettings, LegReason, SrtReport } from './protocol.ts';
import { createSrtCalls, type SrtCalls } from './srt/calls.ts';
import {
  type EndpointEvent,
  type EndpointOperation,
  endpointProtocol,
  feedFlags,
  type LegStatistics,
  mediaFlags,
  readEvent,
} from './srt/protocol.ts';
import { reportOf } from './srt/report.ts';

type SrtSettings = EngineSettings['srt'] & { readonly bind: string };

export interface SrtDoor {
  readonly feed: FeedPort;
  readonly calls: SrtCalls;
  /** Listens as wanted; connections that are open stay, new ones meet the new settings. */
  apply(settings: SrtSettings): void;
  /** Tries again to listen where that failed. */
  retry(): void;
  /** Keys, permissions or publishers may have changed: the endpoint's table is brought up to date. */
  keysChanged(): void;
  close(): Promise<void>;
}

export interface SrtDoorOptions {
  readonly binary: string;
  readonly socketPath: string;
  readonly log: Log;
  readonly channel: (id: number) => Channel | undefined;
  readonly channels: () => Iterable<Channel>;
  readonly readSps: SpsReader;
  readonly onPart: (part: EnginePart) => void;
}

/** One connection that came in. */
interface Connection {
  figures: LegStatistics | undefined;
  receive(bytes: Uint8Array): void;
  closed(reason: string): void;
}

export function createSrtDoor(options: SrtDoorOptions): SrtDoor {
  const { log, onPart, readSps } = options;
  const connections = new Map<number, Connection>();
  let settings: SrtSettings | undefined;
  let listenText = '';
  let keysText = '';
  let version: string | undefined;
  let isDeaf = false;

  const endpoint: Endpoint<EndpointOperation> = createEndpoint<EndpointEvent, EndpointOperation>({
    name: 'SRT endpoint',
    protocol: endpointProtocol,
    readEvent,
    binary: options.binary,
    socketPath: options.socketPath,
    log,
    onStart: () => started(),
    onDown: (reason) => down(reason),
    onEvent: (event) => receive(event),
    onData(id, flags, bytes) {
      if (flags & mediaFlags.call) calls.receive(id, bytes);
      else connections.get(id)?.receive(bytes);
    },
  });
  const send = (operation: EndpointOperation) => endpoint.send(operation);
  const calls = createSrtCalls(send);

  function started(): void {
    listenText = '';
    keysText = '';
    sendKeys();
    sendListen();
    for (const channel of options.channels()) channel.feeds.srt.restart();
  }

  /** The endpoint is gone, and every connection with it. */
  function down(reason: string): void {
    for (const connection of [...connections.values()]) connection.closed('endpoint gone');
    connections.clear();
    calls.endAll();
    onPart({ name: 'srt', ok: false, ...whyDown(reason) });
  }

  function sendListen(): void {
    if (!settings) return;
    const { bind, port, latencyMs, passphrase, keyLength } = settings;
    const operation: EndpointOperation = {
      op: 'listen',
      bind,
      port,
      latency: latencyMs,
      passphrase: keyLength > 0 ? passphrase : '',
      pbkeylen: keyLength,
    };
    const text = JSON.stringify(operation);
    if (text === listenText) return;
    if (send(operation)) listenText = text;
  }

  function sendKeys(): void {
    const list = [...options.channels()].map(({ id, config, input }) => ({
      feed: id,
      push: config.pushKey,
      play: config.playKey,
      publish: config.enabled && config.allow.srt && input.isPush,
      play_ok: config.enabled && config.allow.srt,
      busy: input.current !== undefined && input.current.protocol !== 'srt',
    }));
    const text = JSON.stringify(list);
    if (text === keysText) return;
    if (send({ op: 'keys', list })) keysText = text;
  }

  const handlers: { [Name in EndpointEvent['ev']]: (event: Extract<EndpointEvent, { ev: Name }>) => void } = {
    hello: (event) => {
      version = event.libsrt;
    },
    listening: ({ port }) => {
      isDeaf = false;
      onPart({ name: 'srt', ok: true, port, ...(version && { version }) });
    },
    'listen-failed': (event) => {
      isDeaf = true;
      onPart({ name: 'srt', ok: false, port: event.port, ...whyNotListening(event) });
    },
    publish: ({ conn, feed, peer }) => accept(conn, feed, (channel) => publisherOf(channel, conn, peer)),
    client: ({ conn, feed, peer }) => accept(conn, feed, (channel) => clientOf(channel, conn, peer)),
    closed: ({ conn, reason }) => {
      connections.get(conn)?.closed(reason);
      connections.delete(conn);
    },
    rejected: ({ peer, reason }) => log.warn('SRT connection refused', { peer, reason }),
    call: (event) => calls.event(event),
    stats: ({ list }) => readFigures(list),
    error: ({ text }) => log.error('the SRT endpoint did not understand', { text }),
  };

  function receive<Name extends EndpointEvent['ev']>(event: Extract<EndpointEvent, { ev: Name }>): void {
    const handler = handlers[event.ev as Name];
    handler(event);
  }

  function accept(conn: number, feed: number, open: (channel: Channel) => Connection | undefined): void {
    const channel = options.channel(feed);
    const connection = channel && open(channel);
    if (connection) connections.set(conn, connection);
    else kick(conn);
  }

  function kick(conn: number): void {
    send({ op: 'kick', conn });
  }

  function readFigures(list: readonly LegStatistics[]): void {
    for (const figures of list) {
      if (figures.call !== undefined) calls.figures(figures.call, figures);
      const connection = figures.conn === undefined ? undefined : connections.get(figures.conn);
      if (connection) connection.figures = figures;
    }
  }

  function publisherOf(channel: Channel, conn: number, peer: string): Connection | undefined {
    let sink: TsSink | undefined;
    let ours: LegReason | undefined;
    const connection: Connection = {
      figures: undefined,
      receive(bytes) {
        sink?.write(bytes);
        sink?.flush();
      },
      closed: (reason) => channel.endPublish(publisher, ours ?? endReason(reason)),
    };
    const publisher: Publisher = {
      protocol: 'srt',
      shape: 'ts',
      peer: () => peer,
      bytes: () => sink?.bytes ?? 0,
      media: () => sink?.media,
      continuityErrors: () => sink?.continuityErrors,
      srt: (): SrtReport | undefined => reportOf(connection.figures),
      stalled: () => end('stalled'),
      close: () => end('switchedOff'),
    };
    const end = (reason: LegReason) => {
      ours = reason;
      connections.delete(conn);
      kick(conn);
      connection.closed('ended here');
    };
    if (channel.refusesPublish('srt') || channel.beginPublish(publisher)) return undefined;
    sink = createTsSink(channel.ts, readSps);
    return connection;
  }

  function clientOf(channel: Channel, conn: number, peer: string): Connection | undefined {
    if (channel.refusesPlay('srt')) return undefined;
    const connection: Connection = { figures: undefined, receive: () => undefined, closed: () => leave() };
    const entry = channel.addClient({
      protocol: 'srt',
      peer,
      bytes: () => connection.figures?.bytes ?? 0,
      skipped: () => connection.figures?.skips ?? 0,
      queueMs: () => connection.figures?.buffer_ms ?? 0,
      srt: () => reportOf(connection.figures),
      close() {
        connections.delete(conn);
        kick(conn);
        leave();
      },
    });
    if (!entry) return undefined;
    const receiver = channel.addReceiver('srt');
    const leave = () => {
      receiver.gone();
      entry.remove();
    };
    return connection;
  }

  return {
    calls,
    feed: {
      sendUnit: (id, data, entryPoint) => endpoint.sendData(id, entryPoint ? feedFlags.entryPoint : 0, data),
      sendTables: (id, tables) => endpoint.sendData(id, feedFlags.tables, tables),
      dropFeed: (id) => void send({ op: 'drop-feed', feed: id }),
    },
    apply(next) {
      settings = next;
      sendKeys();
      sendListen();
    },
    retry() {
      if (!isDeaf) return;
      listenText = '';
      sendListen();
    },
    keysChanged: sendKeys,
    close: () => endpoint.close('engine stops'),
  };
}

function endReason(reason: string): LegReason {
  if (reason === 'no sync') return 'noSync';
  if (reason === 'timeout' || reason === 'slow') return 'timeout';
  if (reason === 'endpoint gone') return 'partMissing';
  return reason === 'key removed' || reason === 'listener closed' ? 'switchedOff' : 'closedByPeer';
}

function whyDown(reason: string): { reason: string; message: string } {
  if (reason !== 'missing')
    return { reason: 'crashed', message: `The SRT endpoint ended (${reason}); it is started again` };
  const message =
    'The SRT endpoint is missing: build it with "make build" (needs the Debian package libsrt-openssl-dev)';
  return { reason: 'missing', message };
}

function whyNotListening(event: { port: number; error: string; busy: boolean }): { reason: string; message: string } {
  if (event.busy) {
    const message = `SRT port ${event.port} is occupied: stop the program that uses it, or choose another port`;
    return { reason: 'portOccupied', message };
  }
  return { reason: 'failed', message: `SRT can't listen on port ${event.port}: ${event.error}` };
}
