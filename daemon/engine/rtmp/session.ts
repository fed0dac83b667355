/** One connection of the RTMP server: handshake, connect, then one publisher or one player. */
import { asBuffer } from '../../lib/bytes.ts';
import { realClock } from '../bus/alarm-clock.ts';
import { AmfError, type AmfValue } from '../flv/amf0.ts';
import type { PeerSocket } from '../net/socket-writer.ts';
import { BusFeed } from './bus-feed.ts';
import { type Command, cleanText, errorMessage, parseCommand, statusMessage } from './commands.ts';
import { commandMessageBytes, mediaMessageBytes, RtmpConnection } from './connection.ts';
import { ServerHandshake } from './handshake.ts';
import type {
  LogFields,
  LogLevel,
  PublishGrant,
  Refusal,
  RtmpClientHandle,
  RtmpClientStats,
  SessionContext,
} from './hooks.ts';
import { MediaMessages } from './media-messages.ts';
import { messageTypeId, ProtocolError } from './protocol.ts';
import { ReadBatching } from './read-batching.ts';
import type { PlayerRelay, PublisherRelay } from './relay.ts';
import { connectReply, plainReply, playReply, preamble, publishReply } from './replies.ts';
import { findKey, parseApp } from './stream-key.ts';
import { playStreamId, playWire } from './wire.ts';

type Stage = 'handshake' | 'connect' | 'ready' | 'waiting' | 'publishing' | 'playing' | 'refused' | 'closed';

const noPublishKey: Refusal = { ok: false, code: 'NetStream.Publish.BadName', text: 'No stream key.' };
const noPlayKey: Refusal = { ok: false, code: 'NetStream.Play.StreamNotFound', text: 'No stream key.' };
const guessText = 'Too many wrong stream keys from this address; try again later.';

export class RtmpSession implements RtmpClientHandle {
  readonly peer: string;
  /** Encoder name that the client sent, cleaned and shortened. */
  private encoder = '';
  private readonly socket: PeerSocket;
  private readonly context: SessionContext;
  private readonly connection: RtmpConnection;
  private readonly startedAt: number;
  private handshake: ServerHandshake | undefined = new ServerHandshake();
  private stage: Stage = 'handshake';
  private stageAt: number;
  private receivedAt: number;
  private appKey = '';
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private messages: MediaMessages | undefined;
  private busFeed: BusFeed | undefined;
  private onPlayClosed: ((reason: string) => void) | undefined;
  private publisherRelay: PublisherRelay | undefined;
  private playerRelay: PlayerRelay | undefined;

  constructor(socket: PeerSocket, context: SessionContext) {
    this.socket = socket;
    this.context = context;
    this.peer = context.peer;
    this.startedAt = this.stageAt = this.receivedAt = context.now();
    this.connection = new RtmpConnection(socket, this.message.bind(this), context.now);
  }

  /** Undefined also while the session has to wait before it publishes or plays. */
  get idleSince(): number | undefined {
    return ['publishing', 'playing', 'waiting'].includes(this.stage) ? undefined : this.stageAt;
  }

  stats(): RtmpClientStats {
    return {
      bytesIn: this.connection.bytesIn,
      bytesOut: this.connection.bytesOut,
      connectedMs: Math.round(this.context.now() - this.startedAt),
      stalledMs: Math.round(this.connection.writer.stalledMs),
      ...(this.busFeed ? { feed: this.feedStats(this.busFeed) } : {}),
    };
  }

  /** Bytes from the socket. The buffer is not kept. */
  receive(input: Buffer): void {
    if (this.stage === 'closed' || this.stage === 'refused') return;
    this.receivedAt = this.context.now();
    try {
      const media = this.handshake ? this.shakeHands(this.handshake, input) : input;
      if (media.length > 0) this.connection.feed(media);
      this.messages?.flush(this.connection.missingBytes);
      this.publisherRelay?.afterRead();
      const { writer } = this.connection;
      if (writer.isHeld && writer.hasControl) this.playerRelay?.recall();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The socket has room again. */
  drain(): void {
    if (this.stage !== 'closed') this.connection.writer.drain();
  }

  /** Called about once per second. */
  tick(): void {
    const reason = this.overdue();
    if (reason) this.end(reason, this.stage === 'refused' ? 'debug' : 'warn');
    // Costs one system call, only while full; saves the connection should a drain event ever get lost.
    else if (this.connection.writer.stalledMs > 0) this.connection.writer.drain();
  }

  close(reason: string): void {
    this.end(reason, 'info');
  }

  dismiss(reason: string): void {
    this.log('info', 'RTMP publisher dismissed', { reason });
    this.release(reason);
    this.refuse(statusMessage(playStreamId, 'error', 'NetStream.Publish.BadName', reason), reason);
  }

  /** The socket is gone. */
  closed(error?: Error): void {
    this.end(error ? `connection lost: ${cleanText(error.message)}` : 'closed by the client', 'info');
  }

  private feedStats({ stats }: BusFeed): BusFeed['stats'] {
    return { ...stats, lagMs: this.playerRelay?.lagMs ?? stats.lagMs };
  }

  private overdue(): string | undefined {
    const { limits, now } = this.context;
    const inStage = now() - this.stageAt;
    const { stalledMs } = this.connection.writer;
    if (this.stage === 'refused') return inStage >= limits.lingerMs ? 'refused' : undefined;
    if (stalledMs >= limits.stallMs) return `took no data for ${Math.round(stalledMs / 1000)} s`;
    if (this.stage === 'handshake') return inStage >= limits.handshakeMs ? 'handshake not finished in time' : undefined;
    if (this.stage === 'publishing') {
      const silence = now() - this.receivedAt;
      return silence >= limits.publisherIdleMs ? `sent nothing for ${Math.round(silence / 1000)} s` : undefined;
    }
    const isIdle = this.stage === 'connect' || this.stage === 'ready';
    return isIdle && inStage >= limits.idleMs ? 'neither published nor played in time' : undefined;
  }

  private shakeHands(handshake: ServerHandshake, input: Buffer): Buffer {
    const { used, reply, isDone } = handshake.feed(input);
    this.connection.bytesIn += used;
    if (reply) this.connection.send(reply);
    if (isDone) {
      this.handshake = undefined;
      this.enter('connect');
    }
    this.connection.writer.pump();
    return input.subarray(used);
  }

  private message(type: number, _streamId: number, timestamp: number, payload: Uint8Array): void {
    if (type === messageTypeId.command || type === messageTypeId.commandAmf3) {
      this.command(parseCommand(type, payload));
    } else {
      this.messages?.message(type, timestamp, payload);
    }
  }

  private command(command: Command): void {
    const { name, args } = command;
    if (name !== 'connect' && this.stage === 'connect') {
      throw new ProtocolError(`command ${cleanText(name, 32)} before connect`);
    }
    if (name === 'connect') this.connect(command);
    else if (name === 'publish' || name === 'play') this.open(name, args[0]);
    else if (name === 'deleteStream' || name === 'closeStream') this.leave();
    else this.converse(command);
  }

  private converse(command: Command): void {
    if (command.name === 'FCUnpublish') this.leave();
    const reply = plainReply(command);
    if (reply) this.connection.send(reply);
    else this.log('debug', 'RTMP command ignored', { command: cleanText(command.name, 32) });
  }

  private connect(command: Command): void {
    if (this.stage !== 'connect') throw new ProtocolError('connect sent twice');
    this.encoder = cleanText(command.object.flashVer, 64);
    // Must come first: even a refusal is longer than the chunk size that clients initially expect.
    this.sendAll(preamble());
    const name = parseApp(command.object.app);
    const { app } = this.context.limits;
    if (name?.app !== app) {
      const text = `Application not found; this server serves "${app}".`;
      const message = errorMessage(command.transaction, 'NetConnection.Connect.InvalidApp', text);
      this.refuse(message, 'unknown application');
      return;
    }
    this.appKey = name.key;
    this.connection.send(connectReply(command));
    this.enter('ready');
  }

  /** Delays the request if its address tried many wrong keys. */
  private open(what: 'publish' | 'play', streamName: AmfValue): void {
    if (this.stage !== 'ready') throw new ProtocolError('second stream on one connection');
    const key = findKey(this.appKey, streamName);
    const waitMs = key ? this.context.hooks.keyWait({ key, client: this }) : 0;
    if (waitMs === undefined) {
      const { code } = what === 'publish' ? noPublishKey : noPlayKey;
      this.refuseStream(what, { ok: false, code, text: guessText });
      return;
    }
    if (waitMs === 0) {
      this[what](key);
      return;
    }
    this.enter('waiting');
    this.waiting = setTimeout(() => this.openLate(what, key), waitMs);
  }

  private openLate(what: 'publish' | 'play', key: string): void {
    try {
      this.enter('ready');
      this[what](key);
      this.connection.writer.pump();
    } catch (error) {
      this.fail(error);
    }
  }

  private publish(key: string): void {
    const answer = key ? this.context.hooks.publish({ key, client: this }) : noPublishKey;
    if (!answer.ok) {
      this.refuseStream('publish', answer);
      return;
    }
    const onDropped = (reason: string) => this.log('warn', 'RTMP data message dropped', { reason });
    const batching = new ReadBatching(this.context.setReceiveMark, realClock);
    this.messages = new MediaMessages({ sink: answer.sink, batching, onDropped });
    this.connection.maxMessageBytes = mediaMessageBytes;
    this.enter('publishing');
    this.sendAll(publishReply());
    this.relayPublisher(answer);
    this.log('info', 'RTMP publisher started', { encoder: this.encoder });
  }

  private play(key: string): void {
    const answer = key ? this.context.hooks.play({ key, client: this }) : noPlayKey;
    if (!answer.ok) {
      this.refuseStream('play', answer);
      return;
    }
    this.onPlayClosed = (reason) => answer.onClosed(reason);
    this.enter('playing');
    this.sendAll(playReply());
    this.busFeed = new BusFeed(answer.bus, this.connection.writer, playWire);
    this.playerRelay = this.context.relay?.addPlayer({
      descriptor: this.context.movable.descriptor,
      feed: this.busFeed,
      lost: (reason) => this.end(reason, 'warn'),
    });
    this.log('info', 'RTMP player started', { encoder: this.encoder });
  }

  private relayPublisher({ busSink, watchReaders }: PublishGrant): void {
    const { relay, movable } = this.context;
    const { messages } = this;
    if (!relay || !busSink || !messages) return;
    this.publisherRelay = relay.addPublisher({
      ...{ sink: busSink, descriptor: movable.descriptor },
      received: () => this.connection.bytesIn,
      state: () => this.connection.chunkState,
      pause() {
        messages.batches = false;
        movable.pause();
      },
      resume() {
        messages.batches = true;
        if (movable.descriptor() >= 0) movable.resume();
      },
      receive: (bytes) => this.receive(asBuffer(bytes)),
      report: (received) => this.hasReceived(received),
      continueFrom: (state) => this.connection.continueFrom(state),
      lost: (reason) => this.end(reason, 'warn'),
    });
    watchReaders?.(this.publisherRelay.reconsider);
  }

  /** The endpoint has received this much, counted from the beginning of the connection. */
  private hasReceived(bytes: number): void {
    if (bytes > this.connection.bytesIn) this.receivedAt = this.context.now();
    this.connection.bytesIn = bytes;
    try {
      this.connection.acknowledge();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The client ended its stream and may start another. */
  private leave(): void {
    if (this.stage !== 'publishing' && this.stage !== 'playing') return;
    this.release('stopped by the client');
    this.connection.maxMessageBytes = commandMessageBytes;
    this.enter('ready');
  }

  /** Sends the reason and gives the client a moment to read it: closing immediately could reset the connection. */
  private refuse(message: Uint8Array, reason: string): void {
    this.connection.send(message);
    this.connection.writer.pump();
    this.connection.stop();
    this.enter('refused');
    this.log('warn', 'RTMP client refused', { reason });
  }

  private refuseStream(what: string, { code, text }: Refusal): void {
    this.refuse(statusMessage(playStreamId, 'error', code, text), `${what} refused: ${code}`);
  }

  private fail(error: unknown): void {
    const isTheirs = error instanceof ProtocolError || error instanceof AmfError;
    const text = error instanceof Error ? error.message : String(error);
    this.end(isTheirs ? text : `internal error: ${text}`, isTheirs ? 'warn' : 'error');
  }

  private end(reason: string, level: LogLevel): void {
    if (this.stage === 'closed') return;
    const { stage } = this;
    const isIdle = this.connection.writer.isIdle && !this.playerRelay?.lagMs;
    clearTimeout(this.waiting);
    this.enter('closed');
    this.connection.stop();
    this.release(reason);
    // If the peer does not read, an orderly close would remain pending in the kernel.
    if (isIdle) this.socket.end();
    else this.socket.terminate();
    const { bytesIn, bytesOut, connectedMs } = this.stats();
    this.log(level, 'RTMP connection ended', {
      stage,
      reason,
      bytesIn,
      bytesOut,
      seconds: Math.round(connectedMs / 1000),
    });
  }

  private release(reason: string): void {
    const { messages, busFeed, onPlayClosed, publisherRelay, playerRelay } = this;
    this.messages = this.busFeed = this.onPlayClosed = this.publisherRelay = this.playerRelay = undefined;
    publisherRelay?.close();
    playerRelay?.close();
    messages?.close(reason);
    busFeed?.close();
    onPlayClosed?.(reason);
  }

  private enter(stage: Stage): void {
    this.stage = stage;
    this.stageAt = this.context.now();
  }

  private sendAll(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.connection.send(message);
  }

  private log(level: LogLevel, text: string, fields: LogFields): void {
    this.context.hooks.log(level, text, { connection: this.context.connectionId, peer: this.peer, ...fields });
  }
}
