/** Peers that behave as a test requires: sign-in, changing certificates, noise, a forwarded stream. */
import { connect, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type Command, errorMessage, resultMessage, statusMessage } from '../../daemon/engine/rtmp/commands.ts';
import { refuseLogin, startScriptedServer } from '../../daemon/engine/rtmp/scripted-server-for-test.ts';
import { leasePort } from '../support/ports.ts';
import type { Certificates } from './test-certificates.ts';

const cleanups: (() => unknown)[] = [];

export function stopFarEnds(): void {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
}

/** Terminates TLS in front of a local port, with a certificate that can be changed. */
export async function tlsGateTo(
  to: number,
  certificates: Certificates,
): Promise<{ port: number; use(of: 'stranger' | 'server'): Promise<void> }> {
  const port = leasePort();
  let server: ReturnType<typeof createTlsServer> | undefined;
  const open = new Set<Socket>();
  const stop = () => {
    for (const socket of open) socket.destroy();
    server?.close();
  };
  cleanups.push(stop);
  return {
    port,
    async use(of) {
      stop();
      const next = createTlsServer(certificates[of], (near) => {
        const far = connect(to, '127.0.0.1');
        open.add(near);
        near.on('error', () => far.destroy());
        near.on('close', () => {
          open.delete(near);
          far.destroy();
        });
        far.on('error', () => near.destroy()).on('close', () => near.destroy());
        near.pipe(far).pipe(near);
      });
      next.on('tlsClientError', () => {});
      await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', () => resolve()));
      server = next;
    },
  };
}
/** An RTMP server that accepts everything from clients that answer its challenge as `me` with this password. */
export function askingServer(password: string): { readonly port: number } {
  const server = startScriptedServer({
    answer: (command) => (command.name === 'connect' && refuseLogin(command, 'me', password)) || welcome(command),
  });
  cleanups.push(() => server.stop());
  return server;
}

/** An RTMP server that refuses every client with this text. */
export function refusingServer(words: string): { readonly port: number } {
  const server = startScriptedServer({
    answer: ({ transaction }) => [errorMessage(transaction, 'NetConnection.Connect.Rejected', words)],
  });
  cleanups.push(() => server.stop());
  return server;
}

/** An RTMP server that accepts everything. */
export function welcomingServer(): { readonly port: number } {
  const server = startScriptedServer({ answer: welcome });
  cleanups.push(() => server.stop());
  return server;
}

function welcome({ name, transaction }: Command): Uint8Array[] {
  if (name === 'connect') return [resultMessage(transaction, {}, { code: 'NetConnection.Connect.Success' })];
  if (name === 'createStream') return [resultMessage(transaction, null, 1)];
  return name === 'publish' ? [statusMessage(1, 'status', 'NetStream.Publish.Start', '')] : [];
}

/** Random bytes over SRT, as fast as a stream; sends again after a refusal. */
export function sendNoise(url: string): { stop(): void } {
  const noise = crypto.getRandomValues(new Uint8Array(1316));
  let isOver = false;
  const start = () => {
    const child = Bun.spawn(['srt-live-transmit', '-q', 'file://con', url], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    void child.exited.then(() => {
      if (!isOver) sender = start();
    });
    return child;
  };
  let sender = start();
  const timer = setInterval(() => {
    sender.stdin.write(noise);
    sender.stdin.flush();
  }, 5);
  const stop = () => {
    isOver = true;
    clearInterval(timer);
    sender.kill('SIGKILL');
  };
  cleanups.push(stop);
  return { stop };
}

/** Forwards the responses of a server of the hub. */
export async function passOn(request: Request, url: string): Promise<Response> {
  const { body, status } = await fetch(url, { signal: request.signal });
  return new Response(body, { status });
}

/** A web server that responds with `answer`, which may change. */
export function webServer(answer: (request: Request) => Response | Promise<Response>): { readonly port: number } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: (request) => answer(request) });
  cleanups.push(() => server.stop(true));
  return { port: server.port as number };
}

/** A server that greets in an unexpected protocol. */
export function chattingServer(): { readonly port: number } {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.end('220 mail.example ESMTP\r\n'), data: () => {} },
  });
  cleanups.push(() => server.stop(true));
  return server;
}
