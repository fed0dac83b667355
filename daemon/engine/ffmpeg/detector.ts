/** Looks for FFmpeg until a usable one is found. */
import type { EnginePart } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { confinedFfmpeg } from './process.ts';

export type FfmpegDetector = ReturnType<typeof createFfmpegDetector>;

export function createFfmpegDetector(binary: string, onPart: (part: EnginePart) => void) {
  let path: string | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    if (path !== undefined || isLooking) return;
    isLooking = true;
    const part = await checkFfmpeg(binary);
    isLooking = false;
    if (part.ok) path = binary;
    onPart(part);
  }

  const firstLook = look();
  return {
    /** Undefined while FFmpeg is unavailable. */
    get path(): string | undefined {
      return path;
    },
    /** Resolves after the first look; code that needs FFmpeg right after the start waits for it. */
    firstLook,
    /** Does nothing if FFmpeg was found or a look is in progress. */
    look: () => void look(),
  };
}

/** Debian 12 ships 5.1; versions before 4.4 lack options that the bridge uses. */
const oldest = { major: 4, minor: 4 };

/** Checks whether FFmpeg can be used. If not, one line names the problem and its remedy. */
export async function checkFfmpeg(binary: string, askMs = timing.ffmpeg.versionMs): Promise<EnginePart> {
  const output = await ask(binary, askMs);
  if (output === undefined && Bun.which(binary) !== null) {
    const message = `FFmpeg at "${binary}" does not report its version: install the Debian package ffmpeg again, or set SIGNALBOX_FFMPEG to another one`;
    return { name: 'ffmpeg', ok: false, reason: 'failed', message };
  }
  if (output === undefined) {
    const message = `FFmpeg was not found at "${binary}": install the Debian package ffmpeg, or set SIGNALBOX_FFMPEG to its path`;
    return { name: 'ffmpeg', ok: false, reason: 'missing', message };
  }
  const [, version = '', major = '0', minor = '0'] = /^ffmpeg version (\S*?(\d+)\.(\d+)\S*)/.exec(output) ?? [];
  if (version && (Number(major) < oldest.major || (Number(major) === oldest.major && Number(minor) < oldest.minor))) {
    const needed = `${oldest.major}.${oldest.minor} or newer is needed`;
    const message = `FFmpeg ${version} is too old, ${needed}: set SIGNALBOX_FFMPEG to the path of such a one`;
    return { name: 'ffmpeg', ok: false, reason: 'tooOld', message, version };
  }
  return { name: 'ffmpeg', ok: true, version: version || 'unknown' };
}

async function ask(binary: string, askMs: number): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const child = Bun.spawn(confinedFfmpeg([binary, '-hide_banner', '-version'], {}), {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: askMs,
      killSignal: 'SIGKILL',
    });
    // A wrapper script that was killed may leave a child process that keeps the pipe open.
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), askMs);
    });
    const text = await Promise.race([new Response(child.stdout).text(), late]);
    return text !== undefined && (await child.exited) === 0 ? text : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
