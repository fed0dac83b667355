import { createServer } from 'node:net';

/** `forbidden`: the system reserves the port, such as low ports for root. */
export type PortState = 'free' | 'occupied' | 'forbidden';

/** Opens the port to find out, and closes it again. */
export function probePort(kind: 'tcp' | 'udp', host: string, port: number): Promise<PortState> {
  return kind === 'tcp' ? probeTcp(host, port) : probeUdp(host, port);
}

function probeTcp(host: string, port: number): Promise<PortState> {
  const { promise, resolve, reject } = Promise.withResolvers<PortState>();
  const server = createServer();
  server.once('error', (error) => settle(error, resolve, reject));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('free')));
  return promise;
}

async function probeUdp(host: string, port: number): Promise<PortState> {
  // Takes more than 1 MB, and only a change of ports needs it.
  const { createSocket } = await import('node:dgram');
  const { promise, resolve, reject } = Promise.withResolvers<PortState>();
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' });
  socket.once('error', (error) => {
    socket.close();
    settle(error, resolve, reject);
  });
  socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve('free')));
  return await promise;
}

function settle(
  error: NodeJS.ErrnoException,
  resolve: (state: PortState) => void,
  reject: (error: Error) => void,
): void {
  if (error.code === 'EACCES' || error.code === 'EPERM') resolve('forbidden');
  else if (error.code === 'EADDRINUSE') resolve('occupied');
  else reject(error);
}
