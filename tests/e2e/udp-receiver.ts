/** A receiver of transport stream packets: the stream of a running output must really arrive. */
import { createSocket } from 'node:dgram';

export interface UdpReceiver {
  readonly port: number;
  readonly bytes: () => number;
  readonly close: () => void;
}

export async function receiveUdp(): Promise<UdpReceiver> {
  const socket = createSocket('udp4');
  let bytes = 0;
  socket.on('message', (data) => {
    bytes += data.length;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, bytes: () => bytes, close: () => socket.close() };
}
