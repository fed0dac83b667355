import type { EnginePart } from '../protocol.ts';

/** Debian 12 ships 5.1; older ones lack options that the bridge uses. */
const oldest = { major: 4, minor: 4 };
const askMs = 5000;

/** Whether FFmpeg can be used, with one line that names the fault and its cure. */
export async function checkFfmpeg(binary: string): Promise<EnginePart> {
  const output = await ask(binary);
  if (output === undefined) {
    const message = `FFmpeg was not found at "${binary}": install the Debian package ffmpeg, or set SIGNALBOX_FFMPEG to its path`;
    return { name: 'ffmpeg', ok: false, reason: 'missing', message };
  }
  const [, version = '', major = '0', minor = '0'] = /^ffmpeg version (\S*?(\d+)\.(\d+)\S*)/.exec(output) ?? [];
  if (version && (Number(major) < oldest.major || (Number(major) === oldest.major && Number(minor) < oldest.minor))) {
    const message = `FFmpeg ${version} is too old: ${oldest.major}.${oldest.minor} or newer is needed`;
    return { name: 'ffmpeg', ok: false, reason: 'tooOld', message, version };
  }
  return { name: 'ffmpeg', ok: true, version: version || 'unknown' };
}

async function ask(binary: string): Promise<string | undefined> {
  try {
    const child = Bun.spawn([binary, '-hide_banner', '-version'], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: askMs,
      killSignal: 'SIGKILL',
    });
    const text = await new Response(child.stdout).text();
    return (await child.exited) === 0 ? text : undefined;
  } catch {
    return undefined;
  }
}
