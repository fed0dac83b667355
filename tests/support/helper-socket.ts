/** Starts the helper for each connection, with the connection as standard input and output, as systemd does it. */
import { join } from 'node:path';
import { descriptorOf } from '../../daemon/ipc/send-descriptor.ts';
import { mainProgram } from './main-program.ts';
import { addLog } from './until.ts';

interface HelperSocketOptions {
  /** A folder of the test; the socket and the lock are in it. */
  readonly folder: string;
  /** Further connections are closed at once, like those above `MaxConnections=`. */
  readonly maxConnections?: number;
  /** Default: an empty environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export type HelperSocket = ReturnType<typeof openHelperSocket>;

export function openHelperSocket({ folder, maxConnections = 64, env = {} }: HelperSocketOptions) {
  const path = join(folder, 'helper.sock');
  const command = [process.execPath, mainProgram, 'helper', '--run-dir', join(folder, 'run')];
  const running = new Set<Bun.Subprocess>();
  const ended: { readonly code: number; readonly ms: number }[] = [];
  let log = '';
  const forget = addLog('helper', () => log);

  const start = (descriptor: number) => {
    const began = performance.now();
    const child = Bun.spawn(command, { cwd: '/', env, stdin: descriptor, stdout: descriptor, stderr: 'pipe' });
    running.add(child);
    void (async () => {
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) log += text;
      const code = await child.exited;
      running.delete(child);
      ended.push({ code, ms: performance.now() - began });
    })();
  };
  const server = Bun.listen({
    unix: path,
    socket: {
      open(socket) {
        socket.pause();
        if (running.size < maxConnections) start(descriptorOf(socket));
        // The process has its own descriptor now.
        socket.terminate();
      },
      data() {},
    },
  });
  return {
    path,
    /** What all processes have written, in lines. */
    log: (): string => log,
    /** Exit code and duration of each process that has ended. */
    ended: (): readonly { readonly code: number; readonly ms: number }[] => ended,
    running: (): number => running.size,
    async close(): Promise<void> {
      forget();
      server.stop(true);
      for (const child of running) child.kill('SIGKILL');
      await Promise.all([...running].map(({ exited }) => exited));
    },
  };
}
