/** One outgoing RTMP connection: socket, TLS, handshake, and commands with their replies. */

import type { Socket, TLSOptions } from 'bun';
import { timing } from '../../timing.ts';
import { AmfError, type AmfObject, type AmfValue } from '../flv/amf0.ts';
import { setReceiveMark } from '../net/receive-mark.ts';
import { uint32Message } from './chunk-writer.ts';
import { type Command, cleanText, commandMessage, parseCommand } from './commands.ts';
import { RtmpConnection } from './connection.ts';
import { ClientHandshake } from './handshake.ts';
import { messageTypeId, outgoingChunkBytes, ProtocolError, windowAckBytes } from './protocol.ts';

interface LinkTarget {
  /** IP address to connect to. */
  readonly address: string;
  readonly port: number;
  /** Set for RTMPS. */
  readonly tls?: TLSOptions & { readonly serverName: string };
}

/** Why a link ended or could not be made. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
  /** An untrusted certificate stays untrusted; a lost connection may come back. */
  readonly isPermanent: boolean;

  constructor(text: string, isPermanent = false) {
    super(text);
    this.isPermanent = isPermanent;
  }
}

/** TLS failures that concern the peer, not the trust in its certificate. */
const transientTlsCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

export class ClientLink {
  /** Called for commands that are not replies, such as onStatus. */
  onCommand: (command: Command) => void = () => {};
  /** Called for audio, video, data and aggregates. A protocol error thrown here ends the link. */
  onMedia: (type: number, timestamp: number, payload: Uint8Array) => void = () => {};
  /** Called after each read from the socket, once all its messages have been delivered. */
  onBatch: () => void = () => {};
  readonly connection: RtmpConnection;
  private readonly socket: Socket<undefined>;
  private readonly isTls: boolean;
  private readonly calls = new Map<number, PromiseWithResolvers<Command>>();
  private readonly closing = Promise.withResolvers<LinkError>();
  /** Resolves when the link has ended, from either side. */
  readonly closed = this.closing.promise;
  private onDrained: () => void = () => {};
  private readonly secured = Promise.withResolvers<void>();
  private readonly shaken = Promise.withResolvers<void>();
  private handshake: ClientHandshake | undefined;
  private nextTransaction = 1;
  private gone: LinkError | undefined;

  /** Resolves when TCP is connected. The signal cancels, and also closes a connection that is established too late. */
  static async connect(target: LinkTarget, signal: AbortSignal): Promise<ClientLink> {
    let link: ClientLink | undefined;
    const { address, port, tls } = target;
    const opening = Bun.connect({
      hostname: address,
      port,
      ...(tls && { tls }),
      socket: {
        open: (socket) => {
          link = new ClientLink(socket, tls !== undefined);
          if (!tls) link.secured.resolve();
        },
        handshake: (_socket, isAccepted, error) => link?.afterTls(isAccepted, error),
        data: (_socket, bytes) => link?.receive(bytes),
        drain: () => link?.drain(),
        close: (_socket, error) => link?.lose(new LinkError(error ? cleanText(error.message) : 'closed by the server')),
        error: (_socket, error) => link?.lose(new LinkError(cleanText(error.message))),
        // Present so that Bun does not report the rejection as unhandled after the wait was canceled.
        connectError: () => {},
      },
    });
    const aborted = Promise.withResolvers<never>();
    const giveUp = () => {
      aborted.reject(signal.reason);
      opening.then((socket) => socket.terminate()).catch(() => {});
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([opening, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    if (!link) throw new LinkError('connection closed at once');
    return link;
  }

  private constructor(socket: Socket<undefined>, isTls: boolean) {
    this.socket = socket;
    this.isTls = isTls;
    this.connection = new RtmpConnection(socket, this.message.bind(this));
    // Waiting callers see the rejection; without any it is not an error.
    this.secured.promise.catch(() => {});
    this.shaken.promise.catch(() => {});
    socket.setNoDelay(true);
    socket.setKeepAlive(true, timing.tcp.keepAliveMs);
  }

  /** Resolves when everything queued has been written, the time is over, or the link has ended. */
  async flushed(timeoutMs: number): Promise<void> {
    if (this.connection.writer.isIdle) return;
    const drained = Promise.withResolvers<void>();
    this.onDrained = drained.resolve;
    const timer = setTimeout(drained.resolve, timeoutMs);
    await Promise.race([drained.promise, this.closing.promise]);
    clearTimeout(timer);
  }

  /** Resolves when TLS is established; immediately for plain RTMP. */
  secure(): Promise<void> {
    return this.secured.promise;
  }

  /** Performs the RTMP handshake. Resolves when the server's part is complete. */
  async shakeHands(): Promise<void> {
    this.handshake = new ClientHandshake();
    this.send(this.handshake.hello());
    await this.shaken.promise;
    this.send(uint32Message(messageTypeId.setChunkSize, outgoingChunkBytes));
    this.send(uint32Message(messageTypeId.windowAckSize, windowAckBytes));
  }

  /** Sends a command and resolves with the server's `_result` or `_error`. */
  call(name: string, object: AmfObject | null, ...args: readonly AmfValue[]): Promise<Command> {
    if (this.gone) return Promise.reject(this.gone);
    const answer = Promise.withResolvers<Command>();
    this.calls.set(this.tell(0, name, object, ...args), answer);
    return answer.promise;
  }

  /** Sends a command without waiting for a reply. Returns its transaction number. */
  tell(streamId: number, name: string, object: AmfObject | null, ...args: readonly AmfValue[]): number {
    const transaction = this.nextTransaction++;
    this.send(commandMessage(streamId, name, transaction, object, ...args));
    return transaction;
  }

  /** Data in the kernel is still sent, unless a message was cut in the middle. */
  close(reason: string): void {
    if (this.gone) return;
    const { isIdle } = this.connection.writer;
    this.lose(new LinkError(reason));
    if (isIdle) this.socket.end();
    else this.socket.terminate();
  }

  /** Queues a message and writes what the socket accepts. */
  send(message: Uint8Array): void {
    this.connection.send(message);
    this.connection.writer.pump();
  }

  /** Sets how many bytes must arrive before the socket is read. Has no effect on TLS, which buffers bytes itself. */
  setReceiveMark(bytes: number): void {
    if (!this.isTls) setReceiveMark(this.socket, bytes);
  }

  private drain(): void {
    const { writer } = this.connection;
    writer.drain();
    if (writer.isIdle) this.onDrained();
  }

  private afterTls(isAccepted: boolean, error: Error | null): void {
    if (isAccepted) {
      this.secured.resolve();
      return;
    }
    const code = error && 'code' in error ? String(error.code) : '';
    const text = cleanText(error?.message ?? 'TLS failed');
    this.lose(new LinkError(text, !transientTlsCodes.has(code)));
    this.socket.terminate();
  }

  private receive(input: Buffer): void {
    if (this.gone) return;
    try {
      const rest = this.handshake ? this.continueHandshake(this.handshake, input) : input;
      if (rest.length > 0) this.connection.feed(rest);
      this.onBatch();
    } catch (error) {
      const isTheirs = error instanceof ProtocolError || error instanceof AmfError;
      this.close(isTheirs ? error.message : `internal error: ${String(error)}`);
    }
  }

  private continueHandshake(handshake: ClientHandshake, input: Buffer): Buffer {
    const { used, reply, isDone } = handshake.feed(input);
    this.connection.bytesIn += used;
    if (reply) this.send(reply);
    if (isDone) {
      this.handshake = undefined;
      this.shaken.resolve();
    }
    return input.subarray(used);
  }

  private message(type: number, _streamId: number, timestamp: number, payload: Uint8Array): void {
    if (type !== messageTypeId.command && type !== messageTypeId.commandAmf3) {
      this.onMedia(type, timestamp, payload);
      return;
    }
    const command = parseCommand(type, payload);
    if (command.name !== '_result' && command.name !== '_error') {
      this.onCommand(command);
      return;
    }
    const waiting = this.calls.get(command.transaction);
    this.calls.delete(command.transaction);
    waiting?.resolve(command);
  }

  private lose(error: LinkError): void {
    if (this.gone) return;
    this.gone = error;
    this.connection.stop();
    this.secured.reject(error);
    this.shaken.reject(error);
    for (const waiting of this.calls.values()) waiting.reject(error);
    this.calls.clear();
    this.closing.resolve(error);
  }
}
