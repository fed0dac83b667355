/** Runs FFmpeg between a pipe of raw frames and the engine. */
import { confinedFfmpeg } from '../ffmpeg/process.ts';

/** Either `stdin` or `stdout` is the descriptor of the pipe. */
export interface FfmpegEnds {
  readonly stdin?: number;
  readonly stdout?: number;
  /** Gets the output if it does not go to the pipe. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** In bytes. 4K frames need most of it. */
const limits = { addressSpace: 2 ** 32 };
const maxErrorText = 2000;

export function startFfmpeg(command: readonly string[], { stdin, stdout, onOutput }: FfmpegEnds) {
  const child = Bun.spawn(confinedFfmpeg(command, { limits }), {
    stdin: stdin ?? 'pipe',
    stdout: stdout ?? 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '' },
  });
  let unread = 0;
  let readAt = performance.now();
  const kill = () => child.kill('SIGKILL');
  const readOutput = async () => {
    if (typeof child.stdout === 'number' || !child.stdout) return;
    for await (const bytes of child.stdout) onOutput?.(bytes);
  };
  const ended = Promise.all([child.exited, lastText(child.stderr), readOutput()]).then(
    ([, text]) => `FFmpeg ended${text === '' ? '' : `: ${text}`}`,
    (error: unknown) => `the output of FFmpeg can't be read: ${error}`,
  );
  return {
    /** Why it ended, for the log. */
    ended,
    kill,
    /** Bytes that it has not read yet. */
    unread: () => unread,
    /** When it last showed that it does not hang: it read something, or there is nothing to read. */
    heardAt: () => (unread === 0 ? performance.now() : readAt),
    /** Returns false if they are lost, because it is ending. */
    write(bytes: Uint8Array): boolean {
      const input = child.stdin;
      if (typeof input === 'number' || !input || child.killed) return false;
      unread += bytes.length;
      const done = () => {
        unread -= bytes.length;
        readAt = performance.now();
      };
      try {
        input.write(bytes);
        void Promise.resolve(input.flush()).then(done, done);
      } catch {
        done();
        return false;
      }
      return true;
    },
  };
}

/** Reads the whole stream and returns its last line. */
async function lastText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) text = (text + decoder.decode(bytes, { stream: true })).slice(-maxErrorText);
  return text.trim().split('\n').at(-1) ?? '';
}
