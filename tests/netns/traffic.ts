/** Services that answer with what they receive, and what their clients see. */
import { createSocket } from 'node:dgram';
import { connect, createServer, type Socket } from 'node:net';

/** Long enough for an answer on a busy machine: silence is what a packet filter makes of a closed port. */
const silentMs = 400;

const mostAhead = 16;
const moreEveryMs = 10;

export type Protocol = 'tcp' | 'udp';

export interface EchoService {
  /** Datagrams that have arrived. */
  readonly received: () => number;
}

/** Opens an echo service on all addresses; it ends with the process. */
export async function echo(protocol: Protocol, port: number): Promise<EchoService> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = 0;
  if (protocol === 'tcp') {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.pipe(socket);
    });
    server.once('error', reject);
    server.listen(port, '::', resolve);
  } else {
    const socket = createSocket({ type: 'udp6', recvBufferSize: 1 << 20 });
    socket.once('error', reject);
    socket.on('message', (data, { port: from, address }) => {
      received += 1;
      socket.send(data, from, address);
    });
    socket.bind(port, '::', resolve);
  }
  await promise;
  return { received: () => received };
}

/** Whether the echo service answers. */
export function answers(protocol: Protocol, host: string, port: number): Promise<boolean> {
  return protocol === 'tcp' ? answersTcp(host, port) : answersUdp(host, port);
}

async function answersTcp(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    return await echoes(socket, true);
  } finally {
    socket.destroy();
  }
}

/** Whether a connection that is or will be open still carries data both ways. */
export function echoes(socket: Socket, isNew = false): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), silentMs);
  const onData = () => resolve(true);
  const onError = () => resolve(false);
  socket.once('data', onData).once('error', onError);
  if (isNew) socket.once('connect', () => socket.write('x'));
  else socket.write('x');
  return promise.finally(() => {
    clearTimeout(timer);
    socket
      .off('data', onData)
      .off('error', onError)
      .on('error', () => {});
  });
}

async function answersUdp(host: string, port: number): Promise<boolean> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('message', () => resolve(true)).on('error', () => resolve(false));
  socket.send('x', port, host);
  const timer = setTimeout(() => resolve(false), silentMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

/**
 * Sends datagrams to a UDP echo service for `ms` or until `count` were sent, at most a few ahead of its answers so
 * that no buffer overflows. Returns how many were sent and how many were answered.
 */
export async function blast(
  host: string,
  port: number,
  { ms, count = Number.POSITIVE_INFINITY }: { readonly ms: number; readonly count?: number },
): Promise<{ sent: number; answered: number }> {
  let [sent, answered] = [0, 0];
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = performance.now() + ms;
  const send = () => {
    if (sent >= count || performance.now() > end) resolve();
    else if (socket.send('0123456789abcdef')) sent += 1;
  };
  const socket = await Bun.udpSocket({
    connect: { hostname: host, port },
    socket: {
      data() {
        answered += 1;
        send();
      },
    },
  });
  for (let ahead = 0; ahead < mostAhead; ahead += 1) send();
  // Where nothing answers, one more goes at a time.
  const more = setInterval(send, moreEveryMs);
  await promise;
  clearInterval(more);
  await Bun.sleep(silentMs);
  socket.close();
  return { sent, answered };
}
