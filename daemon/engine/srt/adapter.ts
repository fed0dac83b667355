/** Connects SRT connections to channels. The endpoint checks keys before it accepts; here channels are looked up. */
import { isDeepStrictEqual } from 'node:util';
import { hostOf } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import type { EngineSettings } from '../../media/protocol/desired.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import type { Down } from '../../process/supervisor.ts';
import { endpointRingBytes } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { whyNotListening } from '../connection/listen-failure.ts';
import { confinedEndpoint, Endpoint, whyDown } from '../endpoint/endpoint.ts';
import type { KeyGuard } from '../net/key-guard.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { createSrtCalls } from './caller.ts';
import { type Connection, clientOf, publisherOf } from './connection.ts';
import { createSrtListeners } from './dedicated-listener.ts';
import {
  type Connected,
  type ConnectionStatistics,
  type EndpointEvent,
  type EndpointOperation,
  endpointProtocol,
  feedFlags,
  type ListenOperation,
  linkOptions,
  mediaFlags,
  readEvent,
} from './protocol.ts';
import { createSrtSource } from './source.ts';

type SrtSettings = EngineSettings['srt'] & { readonly bind: string };

export type SrtAdapter = ReturnType<typeof createSrtAdapter>;

interface SrtAdapterOptions {
  readonly binary: string;
  readonly socketPath: string;
  readonly log: Log;
  readonly channel: (id: number) => Channel | undefined;
  readonly channels: () => Iterable<Channel>;
  readonly keyGuard: Pick<KeyGuard, 'countWrong'>;
  readonly onPart: (part: EnginePart) => void;
  readonly outgoing: EngineOutgoing;
}

export function createSrtAdapter(options: SrtAdapterOptions) {
  const { log, onPart } = options;
  const connections = new Map<number, Connection>();
  let settings: SrtSettings | undefined;
  /** The last listen request that the endpoint received. */
  let asked: ListenOperation | undefined;
  /** The last open port. It replaces port 0 in the next request, so that peers can reconnect to the next endpoint. */
  let openPort = 0;
  let keysText = '';
  /** Channels whose publisher is silent: the table marks them as replaceable. */
  let silentChannels = '';
  let version: string | undefined;
  let isDeaf = false;
  let ringBytes = 0;
  let keysSent = 0;
  let keysConfirmed = 0;
  let waiting: { readonly number: number; readonly then: () => void }[] = [];

  const endpoint: Endpoint<EndpointEvent, EndpointOperation> = new Endpoint<EndpointEvent, EndpointOperation>({
    name: 'SRT endpoint',
    protocol: endpointProtocol,
    readEvent,
    binary: options.binary,
    socketPath: options.socketPath,
    command: () => confinedEndpoint(options.binary, options.socketPath, { sockets: 'internet' }),
    log,
    onStart: () => started(),
    onDown: (why) => down(why),
    onEvent: (event) => receive(event),
    onDrain() {
      for (const channel of options.channels()) channel.feeds.srt.resume();
    },
    onData(id, flags, bytes) {
      if (flags & mediaFlags.call) calls.receive(id, bytes);
      else connections.get(id)?.receive(bytes);
    },
  });
  const send = (operation: EndpointOperation) => endpoint.send(operation);
  const calls = createSrtCalls(send, options.outgoing);
  const listeners = createSrtListeners(send, (conn) => connections.delete(conn));

  function started(): void {
    asked = undefined;
    keysText = '';
    send({ op: 'rings', bytes: endpointRingBytes });
    sendKeys();
    sendListen();
    for (const channel of options.channels()) channel.feeds.srt.restart();
  }

  /** The endpoint is gone, and every connection with it. */
  function down(why: Down): void {
    for (const connection of [...connections.values()]) connection.closed('endpoint gone');
    connections.clear();
    calls.endAll();
    listeners.endAll();
    ringBytes = 0;
    // Pending confirmations can resolve: the next endpoint gets the table before it listens.
    confirmed(keysSent);
    onPart({ name: 'srt', ok: false, ...whyDown('SRT', why, ' (needs the Debian package libsrt-openssl-dev)') });
  }

  function sendListen(): void {
    if (!settings) return;
    const { bind, port } = settings;
    const operation: ListenOperation = { op: 'listen', bind, port: port || openPort, ...linkOptions(settings) };
    if (isDeepStrictEqual(operation, asked)) return;
    if (!send(operation)) return;
    asked = operation;
    // The endpoint works in order: once it confirms this table, it has opened the port or reported why it could not.
    keysText = '';
    sendKeys();
  }

  function sendKeys(): void {
    const list = [...options.channels()].filter(hasKey).map(({ id, config, input }) => ({
      feed: id,
      push: config.pushKey,
      play: config.playKey,
      publish: config.enabled && config.allow.srt && input.isPush,
      play_ok: config.enabled && config.allow.srt,
      busy: input.current !== undefined && input.current.protocol !== 'srt' && !input.isSilent && !config.takeover,
      replace: input.isSilent || config.takeover,
    }));
    const text = JSON.stringify(list);
    if (text === keysText) return;
    if (!send({ op: 'keys', number: keysSent + 1, list })) return;
    keysSent += 1;
    keysText = text;
  }

  function confirmed(number: number): void {
    keysConfirmed = number;
    const due = waiting.filter((one) => one.number <= number);
    waiting = waiting.filter((one) => one.number > number);
    for (const { then } of due) then();
  }

  const handlers: { [Name in EndpointEvent['ev']]: (event: Extract<EndpointEvent, { ev: Name }>) => void } = {
    hello: (event) => {
      version = event.libsrt;
    },
    listening: ({ port }) => {
      isDeaf = false;
      openPort = port;
      if (asked?.port === 0) asked = { ...asked, port };
      onPart({ name: 'srt', ok: true, port, ...(version && { version }) });
    },
    'listen-failed': (event) => {
      isDeaf = true;
      onPart({ name: 'srt', ok: false, port: event.port, ...whyNotListening('SRT', event.port, event) });
    },
    keys: ({ number }) => confirmed(number),
    publish: (event) => accept(event, publisherAt),
    client: (event) => accept(event, clientAt),
    closed: ({ conn, reason }) => {
      connections.get(conn)?.closed(reason);
      forget(conn);
    },
    rejected({ peer, reason, count, listener }) {
      log.warn('SRT connection refused', { peer, reason });
      if (listener !== undefined && reason === 'bad passphrase') listeners.refused(listener, peer);
      if (reason === 'unknown key') options.keyGuard.countWrong(hostOf(peer), count, 'srt');
    },
    call: (event) => calls.event(event),
    listener: (event) => listeners.event(event),
    stats({ list, ring_bytes: bytes }) {
      ringBytes = bytes;
      readFigures(list);
    },
    error({ op, text }) {
      log.error('the SRT endpoint did not understand', { text });
      // The endpoint will never confirm that table.
      if (op === 'keys') confirmed(keysSent);
    },
  };

  function receive<Name extends EndpointEvent['ev']>(event: Extract<EndpointEvent, { ev: Name }>): void {
    const handler = handlers[event.ev as Name];
    handler(event);
  }

  function accept(event: Connected, open: (channel: Channel, event: Connected) => Connection | undefined): void {
    const { conn, feed, listener } = event;
    const channel = options.channel(feed);
    const connection = channel && open(channel, event);
    if (!connection) {
      send({ op: 'kick', conn });
      return;
    }
    connections.set(conn, connection);
    if (listener !== undefined) listeners.entered(listener, conn, connection);
  }

  /** A dedicated listener admits any peer; a stream key is subject to what the channel allows now. */
  function publisherAt(channel: Channel, { conn, listener, peer }: Connected): Connection | undefined {
    const through = listener === undefined ? undefined : listeners.find(listener);
    const isMeant = listener === undefined ? !channel.refusesPublish('srt') : through !== undefined;
    const choice = through?.address.ts;
    const source = createSrtSource(send, { conn });
    return isMeant ? publisherOf({ channel, peer, choice, source, drop: () => drop(conn) }) : undefined;
  }

  function clientAt(channel: Channel, { conn, listener, peer }: Connected): Connection | undefined {
    const through = listener === undefined ? undefined : listeners.find(listener);
    const isMeant = listener === undefined ? !channel.refusesPlay('srt') : through !== undefined;
    return isMeant ? clientOf(channel, peer, through?.outputId, () => drop(conn)) : undefined;
  }

  function forget(conn: number): void {
    listeners.left(conn);
    connections.delete(conn);
  }

  function drop(conn: number): void {
    forget(conn);
    send({ op: 'kick', conn });
  }

  function readFigures(list: readonly ConnectionStatistics[]): void {
    for (const figures of list) {
      if (figures.call !== undefined) calls.figures(figures.call, figures);
      const connection = figures.conn === undefined ? undefined : connections.get(figures.conn);
      if (connection) connection.figures = figures;
    }
  }

  return {
    calls,
    listeners,
    feed: {
      sendUnit: (id, data, entryPoint) => endpoint.sendData(id, entryPoint ? feedFlags.entryPoint : 0, data),
      sendTables: (id, tables) => endpoint.sendData(id, feedFlags.tables, tables),
      dropFeed: (id) => void send({ op: 'drop-feed', feed: id }),
    } satisfies FeedPort,
    /** Listens as desired. Open connections stay; the new settings apply to new ones. */
    apply(next: SrtSettings): void {
      settings = next;
      sendKeys();
      sendListen();
    },
    /** Tries again to listen if that failed. */
    retry(): void {
      if (!isDeaf) return;
      asked = undefined;
      sendListen();
    },
    /** Keys, permissions or publishers may have changed: updates the endpoint's table. */
    keysChanged: sendKeys,
    /** Called once per second. */
    tick(): void {
      const silent = [...options.channels()].flatMap(({ id, input }) => (input.isSilent ? id : [])).join();
      if (silent === silentChannels) return;
      silentChannels = silent;
      sendKeys();
    },
    /** Bytes that the endpoint holds for its receivers, and its limit. */
    rings: () => ({ bytes: ringBytes, limit: endpointRingBytes }),
    /** Calls back once the newest keys and listener settings are in effect; immediately if no confirmation is pending. */
    whenInEffect(then: () => void): void {
      if (keysConfirmed === keysSent) then();
      else waiting.push({ number: keysSent, then });
    },
    restart: (reason: string) => endpoint.restart(reason),
    close: () => endpoint.close('engine stops'),
  };
}

const hasKey = ({ config }: Channel): boolean => config.pushKey !== '' || config.playKey !== '';
