/** Sends a looped clip to a server, as an encoder does, or plays a stream: FFmpeg, started again whenever it ends. */
import { looped } from '../../support/clips.ts';

const restartMs = 1000;
const killMs = 3000;

export interface MediaProcess {
  /** Whether packets flow. */
  isConnected(): boolean;
  /** Resolves when FFmpeg has exited. */
  close(): Promise<void>;
}

/** `target` ends an FFmpeg command: format and address. */
export function startPublisher(target: readonly string[]): MediaProcess {
  return keepRunning([...looped({ pictures: { size: '640x360', kbps: 800 }, sound: {} }), ...target]);
}

export function startPlayer(url: string): MediaProcess {
  return keepRunning(['-i', url, '-map', '0', '-c', 'copy', '-f', 'null', '-']);
}

function keepRunning(args: readonly string[]): MediaProcess {
  const progress = ['-stats_period', '0.5', '-progress', 'pipe:1'];
  const closing = new AbortController();
  let child: Bun.Subprocess<'ignore', 'pipe', 'ignore'> | undefined;
  let isConnected = false;

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      // It ends with this process, even if this process is killed.
      const command = ['setpriv', '--pdeathsig', 'KILL', 'ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'fatal'];
      const running = Bun.spawn([...command, ...progress, ...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      child = running;
      for await (const part of running.stdout) {
        if (/out_time_us=[1-9]/.test(new TextDecoder().decode(part))) isConnected = true;
      }
      await running.exited;
      isConnected = false;
      const pause = Promise.withResolvers<void>();
      const timer = setTimeout(pause.resolve, restartMs);
      closing.signal.addEventListener('abort', () => pause.resolve(), { once: true });
      if (!closing.signal.aborted) await pause.promise;
      clearTimeout(timer);
    }
  }
  const ended = loop();

  return {
    isConnected: () => isConnected,
    async close() {
      closing.abort();
      child?.kill('SIGTERM');
      const last = setTimeout(() => child?.kill('SIGKILL'), killMs);
      await ended;
      clearTimeout(last);
    },
  };
}
