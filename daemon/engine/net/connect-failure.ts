/** Why a TCP connection could not be made. */
import { isIPv6 } from 'node:net';

/** Bun 1.4 also reports a missing route as a refusal. A datagram socket looks up the route without sending anything. */
export async function connectFailure(error: unknown, address: string): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code !== 'ECONNREFUSED') return error;
  try {
    const hostname = isIPv6(address) ? '::' : '0.0.0.0';
    const socket = await Bun.udpSocket({ hostname, connect: { hostname: address, port: 9 } });
    socket.close();
    return error;
  } catch (cause) {
    const isRoute = cause instanceof Error && 'code' in cause && /^E(NET|HOST)UNREACH$/.test(String(cause.code));
    return isRoute ? cause : error;
  }
}
