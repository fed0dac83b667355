/** Where SRT connections meet channels. The endpoint checks keys before it accepts; here only channels are told. */
import { isDeepStrictEqual } from 'node:util';
import { hostOf } from '../lib/local-network.ts';
import type { Log } from '../lib/log.ts';
import { endpointRingBytes } from './bus.ts';
import type { Channel } from './channel.ts';
import { confinedEndpoint, createEndpoint, type Endpoint } from './endpoint/endpoint.ts';
import type { FeedPort } from './endpoint/feed.ts';
import type { KeyGuard } from './key-guard.ts';
import { whyNotListening } from './listen-failure.ts';
import type { SpsReader } from './mpegts/stream-facts.ts';
import type { EngineOutgoing } from './outgoing.ts';
import { createSrtCalls, type SrtCalls } from './srt/calls.ts';
import { type Connection, clientOf, publisherOf } from './srt/connection.ts';
import { createSrtDoors, type SrtDoors } from './srt/doors.ts';
import {
  type Connected,
  type EndpointEvent,
  type EndpointOperation,
  endpointProtocol,
  feedFlags,
  type LegStatistics,
  type ListenOperation,
  mediaFlags,
  readEvent,
} from './srt/protocol.ts';
import { createSrtSource } from './srt/source.ts';
import type { EnginePart } from './status.ts';
import type { EngineSettings } from './wanted.ts';

type SrtSettings = EngineSettings['srt'] & { readonly bind: string };

export interface SrtDoor {
  readonly feed: FeedPort;
  readonly calls: SrtCalls;
  readonly doors: Pick<SrtDoors, 'open'>;
  /** Listens as wanted; connections that are open stay, new ones meet the new settings. */
  apply(settings: SrtSettings): void;
  /** Tries again to listen where that failed. */
  retry(): void;
  /** Keys, permissions or publishers may have changed: the endpoint's table is brought up to date. */
  keysChanged(): void;
  /** Once a second. */
  tick(): void;
  /** What the endpoint holds for its receivers, and may hold. Bytes. */
  rings(): { readonly bytes: number; readonly limit: number };
  /** Calls back when the endpoint has confirmed the newest key table; at once if no confirmation is pending. */
  whenKeysHold(then: () => void): void;
  close(): Promise<void>;
}

export interface SrtDoorOptions {
  readonly binary: string;
  readonly socketPath: string;
  readonly log: Log;
  readonly channel: (id: number) => Channel | undefined;
  readonly channels: () => Iterable<Channel>;
  readonly readSps: SpsReader;
  readonly keyGuard: Pick<KeyGuard, 'countWrong'>;
  readonly onPart: (part: EnginePart) => void;
  readonly outgoing: EngineOutgoing;
}

export function createSrtDoor(options: SrtDoorOptions): SrtDoor {
  const { log, onPart, readSps } = options;
  const connections = new Map<number, Connection>();
  let settings: SrtSettings | undefined;
  /** The last listen request that the endpoint got. */
  let asked: ListenOperation | undefined;
  /** The last open port. It replaces port 0 in the next request, so that peers can reconnect to the next endpoint. */
  let openPort = 0;
  let keysText = '';
  /** Those whose publisher is silent: the table says that it may be replaced. */
  let silentChannels = '';
  let version: string | undefined;
  let isDeaf = false;
  let ringBytes = 0;
  let keysSent = 0;
  let keysConfirmed = 0;
  let waiting: { readonly number: number; readonly then: () => void }[] = [];

  const endpoint: Endpoint<EndpointOperation> = createEndpoint<EndpointEvent, EndpointOperation>({
    name: 'SRT endpoint',
    protocol: endpointProtocol,
    readEvent,
    binary: options.binary,
    socketPath: options.socketPath,
    command: () => confinedEndpoint(options.binary, options.socketPath, {}),
    log,
    onStart: () => started(),
    onDown: (reason) => down(reason),
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
  const doors = createSrtDoors(send, (conn) => connections.delete(conn));

  function started(): void {
    asked = undefined;
    keysText = '';
    send({ op: 'rings', bytes: endpointRingBytes });
    sendKeys();
    sendListen();
    for (const channel of options.channels()) channel.feeds.srt.restart();
  }

  /** The endpoint is gone, and every connection with it. */
  function down(reason: string): void {
    for (const connection of [...connections.values()]) connection.closed('endpoint gone');
    connections.clear();
    calls.endAll();
    doors.endAll();
    ringBytes = 0;
    // Pending confirmations can resolve: the next endpoint gets the table before it listens.
    confirmed(keysSent);
    onPart({ name: 'srt', ok: false, ...whyDown(reason) });
  }

  function sendListen(): void {
    if (!settings) return;
    const { bind, port, latencyMs, passphrase, keyLength } = settings;
    const operation: ListenOperation = {
      op: 'listen',
      bind,
      port: port || openPort,
      latency: latencyMs,
      passphrase: keyLength > 0 ? passphrase : '',
      pbkeylen: keyLength,
    };
    if (isDeepStrictEqual(operation, asked)) return;
    if (send(operation)) asked = operation;
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
    rejected({ peer, reason, count, door }) {
      log.warn('SRT connection refused', { peer, reason });
      if (door !== undefined && reason === 'bad passphrase') doors.refused(door, peer);
      if (reason === 'unknown key') options.keyGuard.countWrong(hostOf(peer), count, 'srt');
    },
    call: (event) => calls.event(event),
    door: (event) => doors.event(event),
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
    const { conn, feed, door } = event;
    const channel = options.channel(feed);
    const connection = channel && open(channel, event);
    if (!connection) {
      send({ op: 'kick', conn });
      return;
    }
    connections.set(conn, connection);
    if (door !== undefined) doors.entered(door, conn, connection);
  }

  /** A door was opened for whoever comes; with a key it depends on what the channel allows now. */
  function publisherAt(channel: Channel, { conn, door, peer }: Connected): Connection | undefined {
    const through = door === undefined ? undefined : doors.find(door);
    const isMeant = door === undefined ? !channel.refusesPublish('srt') : through !== undefined;
    const choice = through?.address.ts;
    const source = createSrtSource(send, { conn });
    return isMeant ? publisherOf({ channel, peer, readSps, choice, source, drop: () => drop(conn) }) : undefined;
  }

  function clientAt(channel: Channel, { conn, door, peer }: Connected): Connection | undefined {
    const through = door === undefined ? undefined : doors.find(door);
    const isMeant = door === undefined ? !channel.refusesPlay('srt') : through !== undefined;
    return isMeant ? clientOf(channel, peer, through?.outputId, () => drop(conn)) : undefined;
  }

  function forget(conn: number): void {
    doors.left(conn);
    connections.delete(conn);
  }

  function drop(conn: number): void {
    forget(conn);
    send({ op: 'kick', conn });
  }

  function readFigures(list: readonly LegStatistics[]): void {
    for (const figures of list) {
      if (figures.call !== undefined) calls.figures(figures.call, figures);
      const connection = figures.conn === undefined ? undefined : connections.get(figures.conn);
      if (connection) connection.figures = figures;
    }
  }

  return {
    calls,
    doors,
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
      asked = undefined;
      sendListen();
    },
    keysChanged: sendKeys,
    tick() {
      const silent = [...options.channels()].flatMap(({ id, input }) => (input.isSilent ? id : [])).join();
      if (silent === silentChannels) return;
      silentChannels = silent;
      sendKeys();
    },
    rings: () => ({ bytes: ringBytes, limit: endpointRingBytes }),
    whenKeysHold(then) {
      if (keysConfirmed === keysSent) then();
      else waiting.push({ number: keysSent, then });
    },
    close: () => endpoint.close('engine stops'),
  };
}

function whyDown(reason: string): { reason: string; message: string } {
  if (reason !== 'missing')
    return { reason: 'crashed', message: `The SRT endpoint ended (${reason}); it is started again` };
  const message =
    'The SRT endpoint is missing: build it with "make build" (needs the Debian package libsrt-openssl-dev)';
  return { reason: 'missing', message };
}

const hasKey = ({ config }: Channel): boolean => config.pushKey !== '' || config.playKey !== '';
