/** Looks for FFmpeg until a usable one is found. */
import type { EnginePart } from '../../media/protocol/reported.ts';
import { checkFfmpeg } from './version.ts';

export interface FfmpegDetector {
  /** Undefined while FFmpeg is unavailable. */
  readonly path: string | undefined;
  /** Resolves after the first look; code that needs FFmpeg right after the start waits for it. */
  readonly firstLook: Promise<void>;
  /** Does nothing if FFmpeg was found or a look is in progress. */
  look(): void;
}

export function createFfmpegDetector(binary: string, onPart: (part: EnginePart) => void): FfmpegDetector {
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
    get path() {
      return path;
    },
    firstLook,
    look: () => void look(),
  };
}
