/** A name server for tests: resolves the given names, denies all others, or does not answer. */
import { createSocket } from 'node:dgram';

export interface NameServer {
  mode: 'answers' | 'silent';
  add(name: string, ipv4: string): void;
  remove(name: string): void;
  stop(): void;
}

const typeA = 1;
const headerBytes = 12;
const notFound = 3;

/** Uses port 53 of loopback, which resolvers query without a choice of port. */
export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, readonly number[]>();
  const socket = createSocket('udp4');
  const server: NameServer = {
    mode: 'answers',
    add: (name, ipv4) => void known.set(name, ipv4.split('.').map(Number)),
    remove: (name) => void known.delete(name),
    stop: () => socket.close(),
  };
  socket.on('message', (query, from) => {
    if (server.mode === 'answers') socket.send(answer(query, known), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, '127.0.0.1', () => resolve());
  });
  return server;
}

function answer(query: Buffer, known: ReadonlyMap<string, readonly number[]>): Buffer {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(headerBytes, at + 5);
  const address = known.get(labels.join('.').toLowerCase());
  const isAsked = query.readUInt16BE(at + 1) === typeA;
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | (address ? 0 : notFound), 2);
  header.writeUInt16BE(1, 4);
  if (!address || !isAsked) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 6);
  // The name by reference, type A, class IN, TTL 0.
  const record = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address]);
  return Buffer.concat([header, question, record]);
}
