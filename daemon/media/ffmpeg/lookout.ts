/** Looks for FFmpeg until there is one that can be used. */
import type { EnginePart } from '../status.ts';
import { checkFfmpeg } from './version.ts';

export interface FfmpegLookout {
  /** Undefined while FFmpeg can't be used. */
  readonly path: string | undefined;
  /** Who needs FFmpeg right after the start waits for it. */
  readonly firstLook: Promise<void>;
  /** Does nothing while one is there, or is looked for. */
  look(): void;
}

export function createFfmpegLookout(binary: string, onPart: (part: EnginePart) => void): FfmpegLookout {
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
