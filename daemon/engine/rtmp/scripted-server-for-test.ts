/** An RTMP server for tests that answers as the test defines. */
import { createHash } from 'node:crypto';
import type { Socket, TCPSocketListener } from 'bun';
import { ChunkReader } from './chunk-reader.ts';
import { uint32Message } from './chunk-writer.ts';
import { type Command, errorMessage, parseCommand } from './commands.ts';
import { ServerHandshake } from './handshake.ts';
import { messageTypeId } from './protocol.ts';

export interface ScriptedMessage {
  readonly type: number;
  readonly streamId: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
}

export interface ScriptedServer {
  readonly port: number;
  /** All commands of all connections, in order. */
  readonly commands: Command[];
  readonly media: ScriptedMessage[];
  readonly sockets: Socket<Peer>[];
  stop(): void;
}

interface Peer {
  handshake: ServerHandshake | undefined;
  reader: ChunkReader;
}

export interface ScriptOptions {
  /** Bytes to answer a command with; nothing for no answer. */
  readonly answer: (command: Command, connection: number) => readonly Uint8Array[];
  readonly tls?: { readonly key: string; readonly cert: string };
  /** False: the server does not even answer the handshake. */
  readonly canHandshake?: boolean;
}

export function startScriptedServer({ answer, tls, canHandshake = true }: ScriptOptions): ScriptedServer {
  const commands: Command[] = [];
  const media: ScriptedMessage[] = [];
  const sockets: Socket<Peer>[] = [];

  const open = (socket: Socket<Peer>): void => {
    const connection = sockets.push(socket);
    const onMessage = (type: number, streamId: number, timestamp: number, payload: Uint8Array): void => {
      if (type !== messageTypeId.command) {
        if (type === messageTypeId.audio || type === messageTypeId.video || type === messageTypeId.data) {
          media.push({ type, streamId, timestamp, payload });
        }
        return;
      }
      const command = parseCommand(type, payload);
      commands.push(command);
      for (const bytes of answer(command, connection)) socket.write(bytes);
    };
    socket.data = { handshake: new ServerHandshake(), reader: new ChunkReader(onMessage, 16 << 20) };
  };

  const receive = (socket: Socket<Peer>, bytes: Buffer): void => {
    const { handshake, reader } = socket.data;
    if (!canHandshake) return;
    if (!handshake) {
      reader.feed(bytes);
      return;
    }
    const { used, reply, isDone } = handshake.feed(bytes);
    if (reply) socket.write(reply);
    if (!isDone) return;
    socket.data.handshake = undefined;
    socket.write(uint32Message(messageTypeId.setChunkSize, 4096));
    reader.feed(bytes.subarray(used));
  };

  const listener: TCPSocketListener<Peer> = Bun.listen<Peer>({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls ? { tls } : {}),
    socket: { open, data: receive },
  });
  return { port: listener.port, commands, media, sockets, stop: () => listener.stop(true) };
}

/** Refuses `connect` as Flash Media Server does: with the method, a challenge, and finally the error. */
export function refuseLogin(
  { object, transaction }: Command,
  username: string,
  password: string,
): Uint8Array[] | undefined {
  const reject = (text: string) => [
    errorMessage(transaction, 'NetConnection.Connect.Rejected', `[ AccessManager.Reject ] : ${text}`),
  ];
  const app = String(object.app);
  if (!app.includes('authmod')) return reject('[ code=403 need auth; authmod=adobe ] : ');
  const [, challenge, response] = /challenge=(\w+)&response=(.+)&opaque=/.exec(app) ?? [];
  if (challenge === undefined) {
    return reject(`[ authmod=adobe ] : ?reason=needauth&user=${username}&salt=SA==&challenge=CH==&opaque=OP==`);
  }
  const expected = md5(`${md5(`${username}SA==${password}`)}OP==${challenge}`);
  return response === expected ? undefined : reject('[ authmod=adobe ] : ?reason=authfailed&opaque=OP==');
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('base64');
}
