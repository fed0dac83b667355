/**
 * The RTMP endpoint and what it does for the server: while a publisher sends nothing but frames and only players of the
 * server read them, it receives the stream and passes it to the players, and this process is woken about once a second.
 * Everything else is done here. Connections move between both in the middle of a stream: the endpoint gets a copy of the
 * socket's descriptor and the state of the connection. What it receives comes here while somebody reads the bus, in
 * batches, at first from the newest keyframe on; otherwise only figures come.
 */
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { confinedEndpoint, Endpoint } from '../endpoint/endpoint.ts';
import type { FlvBus } from '../flv/flv-bus.ts';
import type { FlvBusSink, FlvTotals } from '../flv/flv-sink.ts';
import type { BusFeed } from './bus-feed.ts';
import type { ChunkState } from './chunk-reader.ts';
import {
  type PlayerFigures,
  type PublisherFigures,
  type Returned,
  type RtmpEvent,
  type RtmpOperation,
  readRtmpEvent,
  rtmpEndpointProtocol,
  type Skipped,
} from './endpoint-protocol.ts';

interface RelayOptions {
  readonly binary: string;
  readonly socketPath: string;
  readonly log: Log;
  readonly pauseMs?: number;
}

interface Member {
  /** Of its socket; -1 if it is closed. */
  descriptor(): number;
  /** The endpoint is gone: the connection must end. */
  lost(reason: string): void;
}

export interface RelayedPublisher extends Member {
  readonly sink: FlvBusSink;
  /** Undefined inside a message. */
  state(): ChunkState | undefined;
  /** The socket is not read here until `resume`. */
  pause(): void;
  resume(): void;
  /** Bytes that the endpoint received. */
  receive(bytes: Uint8Array): void;
  /** Number of bytes of the connection that have been read. */
  received(): number;
  /** The endpoint has read this many of them. */
  report(received: number): void;
  /** The state before the bytes that `receive` gets next. */
  continueFrom(state: ChunkState): void;
}

export interface RelayedPlayer extends Member {
  readonly feed: BusFeed;
}

/** `offered`: the endpoint has not answered yet. `returning`: it was asked to return the connection. */
type Place = 'here' | 'offered' | 'away' | 'returning';

interface PublisherEntry {
  readonly id: number;
  readonly publisher: RelayedPublisher;
  place: Exclude<Place, 'offered'>;
  isDue: boolean;
  tryAt: number;
  pauseMs: number;
  since: number;
  /** When the endpoint took the publisher over: messages on the bus, and totals of the publisher. */
  base: { readonly message: number } & Omit<PublisherFigures, 'id'>;
  /** Number of messages on the bus when the publisher ended; before that, infinite. */
  end: number;
  /** Whether the endpoint has been told that the bus has a reader. */
  isRead: boolean;
}

interface PlayerEntry {
  readonly id: number;
  readonly player: RelayedPlayer;
  place: Place;
  tryAt: number;
  /** Whose stream the endpoint last sent to it. */
  source: PublisherEntry | undefined;
  /** Bytes that it had when the endpoint took it. */
  base: number;
  rest: Uint8Array[];
  figures: PlayerFigures | undefined;
}

export type Relay = ReturnType<typeof createRelay>;
export type PublisherRelay = ReturnType<Relay['addPublisher']>;
export type PlayerRelay = ReturnType<Relay['addPlayer']>;

/** After the endpoint has ended, publishers stay here for this multiple of the usual time. */
const pausesAfterEnd = 5;
/** The same if it ends often: a stream that makes it fail must not do so again and again. */
const pausesOfFailing = 300;
const gone = 'the RTMP endpoint ended';
const nothing = { message: 0, received: 0, bytes: 0, video: 0, audio: 0 };

export function createRelay({ binary, socketPath, log, pauseMs = timing.rtmpRelay.pauseMs }: RelayOptions) {
  const publishers = new Map<number, PublisherEntry>();
  const players = new Map<number, PlayerEntry>();
  /** Publishers that are away. */
  const sources = new Map<FlvBus, PublisherEntry>();
  /** Those that ended while they were away: what the endpoint had received before may contain their next command. */
  const leaving = new Map<number, RelayedPublisher>();
  /** Each stream of a connection has a number of its own. */
  let lastId = 0;
  let notBefore = 0;
  let endpoint: Endpoint<RtmpEvent, RtmpOperation> | undefined;

  /** Started with the first publisher, since a hub without one needs no endpoint. */
  const open = () =>
    new Endpoint<RtmpEvent, RtmpOperation>({
      ...{ binary, socketPath, log, name: 'RTMP endpoint', protocol: rtmpEndpointProtocol, readEvent: readRtmpEvent },
      command: () => confinedEndpoint(binary, socketPath, {}),
      onStart: () => undefined,
      onDown: ({ isFailing }) => {
        notBefore = performance.now() + (isFailing ? pausesOfFailing : pausesAfterEnd) * pauseMs;
        for (const { place, publisher } of [...publishers.values()]) if (place !== 'here') publisher.lost(gone);
        for (const { place, player } of [...players.values()]) if (place !== 'here') player.lost(gone);
        leaving.clear();
      },
      onEvent: receive,
      onData: (id, _flags, bytes) => {
        (publishers.get(id)?.publisher ?? leaving.get(id))?.receive(bytes);
        players.get(id)?.rest.push(bytes.slice());
      },
    });
  const send = (operation: RtmpOperation) => endpoint?.send(operation);

  function receive(event: RtmpEvent): void {
    switch (event.ev) {
      case 'taken':
        taken(players.get(event.id));
        break;
      case 'refused':
        putBack(players.get(event.id));
        break;
      case 'returned':
        if (left(leaving.get(event.id), event.id)) break;
        if (event.message === undefined) publisherReturned(publishers.get(event.id), event);
        else playerReturned(players.get(event.id), event);
        break;
      case 'stats':
        for (const figures of event.list) report(players.get(figures.id), figures);
        for (const figures of event.publishers) reportPublisher(publishers.get(figures.id), figures);
        break;
      case 'skipping':
        forget(publishers.get(event.id));
        break;
      case 'skipped':
        skip(publishers.get(event.id), event);
        leaving.get(event.id)?.continueFrom(event);
        break;
      case 'error':
        log.error('the RTMP endpoint did not understand', { text: event.text, op: event.op, field: event.field });
    }
  }

  /** Its socket is read again, since it may start another stream, or has to be read until it knows why it must leave. */
  function left(publisher: RelayedPublisher | undefined, id: number): boolean {
    publisher?.resume();
    return leaving.delete(id);
  }

  function taken(entry: PlayerEntry | undefined): void {
    if (!entry) return;
    if (entry.place === 'offered') entry.place = 'away';
    entry.player.feed.leave();
  }

  function putBack(entry: PlayerEntry | undefined): void {
    if (!entry) return;
    entry.place = 'here';
    entry.tryAt = performance.now() + pauseMs;
    entry.player.feed.writer.release();
  }

  function playerReturned(entry: PlayerEntry | undefined, { message = 0, bytes = 0, reason }: Returned): void {
    if (!entry) return;
    const { id, player, source, rest } = entry;
    report(entry, { id, bytes });
    entry.place = 'here';
    entry.rest = [];
    entry.figures = undefined;
    entry.tryAt = performance.now() + (reason === 'asked' ? 0 : pauseMs);
    // What follows the end of the stream on the bus is of the next publisher.
    if (source) player.feed.resume(Math.min(source.base.message + message, source.end));
    player.feed.writer.release(Buffer.concat(rest));
  }

  function publisherReturned(entry: PublisherEntry | undefined, { reason }: Returned): void {
    if (!entry) return;
    const now = performance.now();
    const { lastPauseMs } = timing.rtmpRelay;
    entry.place = 'here';
    sources.delete(entry.publisher.sink.bus);
    // What the endpoint cannot handle may come again and again.
    const isOften = reason === 'unusual' && now - entry.since < lastPauseMs;
    entry.pauseMs = isOften ? Math.min(entry.pauseMs * 2, lastPauseMs) : pauseMs;
    entry.tryAt = now + entry.pauseMs;
    entry.publisher.resume();
  }

  function report(entry: PlayerEntry | undefined, figures: PlayerFigures): void {
    if (!entry || entry.place === 'here') return;
    entry.figures = figures;
    entry.player.feed.writer.bytes = entry.base + figures.bytes;
  }

  function reportPublisher(entry: PublisherEntry | undefined, figures: PublisherFigures): void {
    if (!entry || entry.place === 'here') return;
    const { publisher, base } = entry;
    publisher.report(base.received + figures.received);
    publisher.sink.report(totalsOf(base, figures));
  }

  /** Clears a bus without readers, because its content ends here: a new reader gets the rest from the endpoint. */
  function forget(entry: PublisherEntry | undefined): void {
    const ring = entry?.publisher.sink.bus.ring;
    if (ring?.subscribers === 0) ring.clear();
  }

  function skip(entry: PublisherEntry | undefined, skipped: Skipped): void {
    if (!entry) return;
    const { publisher, base } = entry;
    publisher.continueFrom(skipped);
    publisher.report(base.received + skipped.received);
    const times = { video: skipped.video_time, audio: skipped.audio_time };
    publisher.sink.skip(base.message + skipped.message, totalsOf(base, skipped), times);
  }

  /** Tells the endpoint whether the bus has readers. */
  function tellReads(entry: PublisherEntry): void {
    const { id, publisher, place, isRead } = entry;
    const on = publisher.sink.bus.ring.isRead;
    if (place === 'away' && on !== isRead && send({ op: 'read', id, on })) entry.isRead = on;
  }

  /** Whether anything but the server's players reads the bus. */
  function hasOtherReaders(bus: FlvBus): boolean {
    let others = bus.ring.subscribers;
    for (const { player } of players.values()) if (player.feed.bus === bus && player.feed.isReading) others--;
    return others > 0;
  }

  function give(entry: PublisherEntry): void {
    const { id, publisher } = entry;
    const { bus } = publisher.sink;
    entry.isDue = false;
    if (!publishers.has(id) || entry.place !== 'here') return;
    if (hasOtherReaders(bus)) {
      entry.tryAt = performance.now() + pauseMs;
      return;
    }
    const [state, tracks, descriptor] = [publisher.state(), publisher.sink.steadyTracks, publisher.descriptor()];
    if (!state || !tracks || descriptor < 0) return;
    if (!endpoint?.sendDescriptor({ op: 'publisher', id, ...state, ...tracks }, descriptor)) return;
    publisher.pause();
    const { bytes, arrivals } = publisher.sink;
    const base = { message: bus.messages, received: publisher.received(), bytes, ...arrivals };
    Object.assign(entry, { place: 'away', since: performance.now(), base, isRead: true });
    sources.set(bus, entry);
    for (const one of players.values()) if (one.player.feed.bus === bus) offer(one);
  }

  function offer(entry: PlayerEntry): void {
    const { id, player, place, tryAt } = entry;
    const { feed } = player;
    const source = place === 'here' ? sources.get(feed.bus) : undefined;
    if (!source || !feed.isLevel || performance.now() < tryAt) return;
    const message = feed.bus.messages - source.base.message;
    const operation = { op: 'player', id, publisher: source.id, message } as const;
    const descriptor = player.descriptor();
    if (descriptor < 0 || !endpoint?.sendDescriptor(operation, descriptor)) return;
    feed.writer.hold();
    Object.assign(entry, { place: 'offered', source, base: feed.writer.bytes });
  }

  return {
    addPublisher(publisher: RelayedPublisher) {
      endpoint ??= open();
      const [id, now] = [++lastId, performance.now()];
      const entry: PublisherEntry = {
        ...{ id, publisher, place: 'here', isDue: false, tryAt: now + pauseMs, pauseMs, since: 0 },
        ...{ base: nothing, end: Number.POSITIVE_INFINITY, isRead: true },
      };
      publishers.set(id, entry);
      return {
        afterRead(): void {
          if (entry.place !== 'here' || entry.isDue || performance.now() < Math.max(entry.tryAt, notBefore)) return;
          entry.isDue = true;
          // Not inside the socket's read event, which may read once more.
          setImmediate(() => give(entry));
        },
        /** The readers of the bus have changed. */
        reconsider(): void {
          if (entry.place !== 'away') return;
          tellReads(entry);
          if (!hasOtherReaders(publisher.sink.bus)) return;
          entry.place = 'returning';
          sources.delete(publisher.sink.bus);
          send({ op: 'return', id });
        },
        close(): void {
          publishers.delete(id);
          if (entry.place === 'here') return;
          if (sources.get(publisher.sink.bus) === entry) sources.delete(publisher.sink.bus);
          publisher.sink.flush();
          entry.end = publisher.sink.bus.messages;
          if (send({ op: 'drop', id })) leaving.set(id, publisher);
        },
      };
    },
    addPlayer(player: RelayedPlayer) {
      const id = ++lastId;
      const entry: PlayerEntry = {
        ...{ id, player, place: 'here', tryAt: 0, source: undefined, base: 0, rest: [], figures: undefined },
      };
      players.set(id, entry);
      player.feed.onLevel = () => offer(entry);
      return {
        /** Milliseconds; undefined while the engine feeds the player. */
        get lagMs() {
          return entry.place === 'away' ? (entry.figures?.lag_ms ?? 0) : undefined;
        },
        /** The engine has something to send to this player. */
        recall(): void {
          if (entry.place !== 'offered' && entry.place !== 'away') return;
          entry.place = 'returning';
          send({ op: 'return', id });
        },
        close(): void {
          player.feed.onLevel = undefined;
          players.delete(id);
          if (entry.place !== 'here') send({ op: 'drop', id });
        },
      };
    },
    /** Called once per second: requests what the endpoint received, and its figures. */
    tick(): void {
      for (const entry of publishers.values()) tellReads(entry);
      const isInUse = [...publishers.values()].some(({ place }) => place !== 'here');
      if (isInUse) send({ op: 'report' });
    },
    /** Process id of the endpoint; 0 if there is none. */
    get pid() {
      return endpoint?.pid ?? 0;
    },
    close: async () => endpoint?.close('engine stops'),
  };
}

/** Returns the totals of the sink from what the endpoint has received since it took the publisher over. */
function totalsOf(base: PublisherEntry['base'], { bytes, video, audio }: PublisherFigures): FlvTotals {
  return { bytes: base.bytes + bytes, video: base.video + video, audio: base.audio + audio };
}
