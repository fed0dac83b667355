import { setTimeout as wait } from 'node:timers/promises';

const restartDelayMs = 1000;
const killDelayMs = 3000;

export interface FfmpegLoop {
  /** Stops FFmpeg and resolves when it has exited. */
  close(): Promise<void>;
}

/**
 * Keeps one FFmpeg running until closed: FFmpeg exits when the hub restarts or a peer is not up yet, while a real
 * encoder would reconnect. It exits with this process, even if this process is killed.
 */
export function keepFfmpegRunning(ffmpeg: string, args: readonly string[]): FfmpegLoop {
  const closing = new AbortController();
  let child: Bun.Subprocess | undefined;

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      child = Bun.spawn(
        ['setpriv', '--pdeathsig', 'KILL', ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'fatal', ...args],
        // Its own process group: this process forwards Ctrl-C.
        { stdio: ['ignore', 'ignore', 'ignore'], detached: true },
      );
      await child.exited;
      await wait(restartDelayMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }
  const ended = loop();

  return {
    async close() {
      closing.abort();
      child?.kill('SIGTERM');
      const last = setTimeout(() => child?.kill('SIGKILL'), killDelayMs);
      await ended;
      clearTimeout(last);
    },
  };
}

export interface TestPicture {
  /** An FFmpeg source filter. */
  readonly picture: string;
  readonly toneHz: number;
  readonly kbps: number;
}

/** A moving picture with a beeping tone, in real time, encoded at x264's lowest cost. */
export function testPictureArgs({ picture, toneHz, kbps }: TestPicture, target: readonly string[]): string[] {
  const input = (source: string): string[] => ['-re', '-f', 'lavfi', '-i', source];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p', '-g', '50'];
  const rate = ['-b:v', `${kbps}k`, '-maxrate', `${kbps}k`, '-bufsize', `${kbps}k`];
  const audio = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
  const tone = `sine=frequency=${toneHz}:beep_factor=4:sample_rate=48000`;
  return [...input(picture), ...input(tone), ...video, ...rate, ...audio, ...target];
}
