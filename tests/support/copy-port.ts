/** A port from which any number of bytes can be fetched, and which takes any number and answers with their hash. */
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

const blockBytes = 1 << 20;
/** Not compressible, and different from block to block by its first bytes. */
const block = Buffer.alloc(blockBytes);
for (let at = 0, state = 0x2545f491; at < blockBytes; at += 4) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  block.writeInt32LE(state, at);
}

function* blocksOf(bytes: number): Generator<Buffer> {
  for (let left = bytes, count = 0; left > 0; left -= blockBytes, count++) {
    const next = Buffer.from(block.subarray(0, Math.min(left, blockBytes)));
    if (next.length >= 4) next.writeUInt32LE(count, 0);
    yield next;
  }
}

const hashes = new Map<number, string>();

/** Known before a copy begins, so that computing it takes none of its time. */
function hashOf(bytes: number): string {
  let known = hashes.get(bytes);
  if (known === undefined) {
    const hash = new Bun.CryptoHasher('sha256');
    for (const next of blocksOf(bytes)) hash.update(next);
    known = hash.digest('hex');
    hashes.set(bytes, known);
  }
  return known;
}

async function send(socket: Socket, bytes: number): Promise<void> {
  for (const next of blocksOf(bytes)) {
    if (!socket.write(next)) await once(socket, 'drain');
  }
  socket.end();
}

/** Not an iterator, whose end would also end the other direction. */
async function read(socket: Socket, take: (part: Buffer) => void): Promise<void> {
  socket.on('data', take);
  socket.resume();
  await once(socket, 'end');
}

async function receive(socket: Socket): Promise<{ bytes: number; hash: string }> {
  const hash = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  await read(socket, (part) => {
    hash.update(part);
    bytes += part.length;
  });
  return { bytes, hash: hash.digest('hex') };
}

/** Takes connections that begin with `GIVE n` or `TAKE` and a line feed. What begins otherwise goes to `other`. */
export async function serveCopies(other?: number): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.pause();
      const [, count] = /^GIVE (\d+)\n/.exec(first.toString('latin1')) ?? [];
      if (count !== undefined) {
        socket.resume();
        void send(socket, Number(count)).catch(() => socket.destroy());
      } else if (first.toString('latin1').startsWith('TAKE\n')) {
        socket.unshift(first.subarray(5));
        void receive(socket).then(
          ({ bytes, hash }) => socket.end(`${bytes} ${hash}`),
          () => socket.destroy(),
        );
      } else if (other === undefined) socket.destroy();
      else {
        const onward = createConnection({ port: other, host: '127.0.0.1' });
        onward.on('error', () => socket.destroy());
        onward.write(first);
        socket.pipe(onward).pipe(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export async function connectTo(port: number): Promise<Socket> {
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Returns what arrived, and the hash of what should have. */
export async function fetchBytes(port: number, bytes: number) {
  const wanted = hashOf(bytes);
  const socket = await connectTo(port);
  socket.end(`GIVE ${bytes}\n`);
  return { ...(await receive(socket)), wanted };
}

/** Returns what the other side says that it got, and the hash of what was sent. */
export async function sendBytes(port: number, bytes: number) {
  const wanted = hashOf(bytes);
  const socket = await connectTo(port);
  socket.write('TAKE\n');
  const [answer] = await Promise.all([textOf(socket), send(socket, bytes)]);
  const [count, hash] = answer.split(' ');
  return { bytes: Number(count), hash, wanted };
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  await read(socket, (part) => {
    text += part;
  });
  return text;
}
