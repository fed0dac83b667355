/** Looks for FFmpeg until a usable one is found. */
import type { EnginePart } from '../../media/protocol/reported.ts';
import { checkFfmpeg } from './version.ts';

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
