/** Runs a native endpoint under AddressSanitizer and checks from time to time that it still answers. */
import { createSocket, type Socket } from 'node:dgram';
import type { NamedEvent } from '../../../daemon/ipc/frames.ts';
import { type Bare, endpointBinary, sanitizerReport, startBare } from '../../../native/common/test-endpoint.ts';
import { leasePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';

const answerMs = 10_000;
/** A well-formed frame with an unknown operation, which the endpoint answers with an error. */
const question = '{"op":"are-you-there"}';

export interface EndpointUnderFuzz<Event extends NamedEvent> {
  readonly bare: Bare<Event>;
  /** A port for the endpoint to listen on. */
  readonly port: number;
  readonly socket: Socket;
  check(): Promise<void>;
  close(): Promise<void>;
}

export async function startEndpoint<Event extends NamedEvent>(
  name: 'srt' | 'udp',
  readEvent: (text: string) => Event | undefined,
): Promise<EndpointUnderFuzz<Event>> {
  const bare = await startBare(endpointBinary(name, 'asan'), readEvent);
  const port = leasePort();
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  // A datagram to a closed port causes an ICMP error, which arrives here.
  socket.on('error', () => {});
  const sayWhy = async (error: unknown): Promise<never> => {
    bare.child.kill('SIGKILL');
    throw new Error(`${String(error)}\n${await bare.stderr()}`);
  };
  return {
    bare,
    port,
    socket,
    async check() {
      bare.events.length = 0;
      // The endpoint limits its errors per second, so a question may stay unanswered.
      let askedAt = 0;
      await until(() => {
        if (bare.child.exitCode !== null || bare.child.signalCode !== null) throw new Error('the endpoint exited');
        if (performance.now() - askedAt > 200) {
          askedAt = performance.now();
          bare.control(question);
        }
        return bare.events.some((event) => event.ev === 'error');
      }, answerMs).catch(sayWhy);
    },
    async close() {
      socket.close();
      bare.child.kill('SIGTERM');
      const code = await bare.child.exited;
      bare.close();
      const output = await bare.stderr();
      if (code !== 0 || sanitizerReport.test(output)) throw new Error(`endpoint exited with code ${code}\n${output}`);
    },
  };
}

/** Sends the endpoint a control frame, unless the frame could open a port that another test uses. */
export function control(bare: { control(text: string): void }, input: Uint8Array): void {
  const text = Buffer.from(input).toString('latin1');
  if (!/"port":\s*\d{4}/.test(text)) bare.control(text);
}

export function send(socket: Socket, port: number, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.send(bytes.subarray(0, 1472), port, '127.0.0.1', () => resolve()));
}
