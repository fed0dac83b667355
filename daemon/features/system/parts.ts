/** Which parts of the hub work, and the resulting status flags. Pure. */
import type { SystemPart } from '../../contract/system.ts';
import { systemFlags } from '../../contract/variant.ts';
import type { MediaStatus } from '../../media/port.ts';
import { lowSpaceBytes } from '../../store/folder-space.ts';
import type { Load } from './load.ts';

const MB = 1024 * 1024;
const lowMemoryBytes = 128 * MB;

/** Returns the engine and, while it runs, the parts that it reports. */
export function mediaParts(
  { engine, reason, isFailing, parts }: Pick<MediaStatus, 'engine' | 'reason' | 'isFailing' | 'parts'>,
  { ffmpeg, startsEngine }: { readonly ffmpeg: string; readonly startsEngine: boolean },
): SystemPart[] {
  if (engine === 'running') {
    // The engine searched for FFmpeg at this path; the console shows it in its own language.
    const reported = parts.map((part) => (part.name === 'ffmpeg' && !part.ok ? { ...part, path: ffmpeg } : part));
    return [{ name: 'engine', ok: true }, ...reported];
  }
  const why = reason === '' ? '' : `: ${reason}`;
  const message = engine === 'starting' ? 'the media engine starts' : `the media engine is down${why}`;
  return [{ name: 'engine', ok: false, reason: absence(engine, isFailing, startsEngine), message }];
}

/** The hub does not know why the unit of an engine does not run. */
function absence(engine: MediaStatus['engine'], isFailing: boolean, startsEngine: boolean): string {
  if (!startsEngine) return engine === 'starting' ? 'starting' : 'unitStopped';
  if (isFailing) return 'failing';
  return engine === 'starting' ? 'starting' : 'crashed';
}

export function folderPart(folder: string, { diskFreeBytes, diskTotalBytes }: Load): SystemPart[] {
  if (diskTotalBytes === 0 || diskFreeBytes >= lowSpaceBytes) return [];
  const free = Math.floor(diskFreeBytes / MB);
  const message = `${folder} has only ${free} MB left; make room on that disk`;
  return [{ name: 'folder', ok: false, reason: 'noSpace', message, path: folder, 'free-mb': free }];
}

export function memoryPart({ availableBytes }: Load): SystemPart[] {
  if (!isMemoryLow(availableBytes)) return [];
  const free = Math.floor(availableBytes / MB);
  const message = `only ${free} MB of memory are available; streams may stop`;
  return [{ name: 'memory', ok: false, reason: 'memoryLow', message, 'free-mb': free }];
}

/** 0: not measured yet. */
const isMemoryLow = (availableBytes: number) => availableBytes > 0 && availableBytes < lowMemoryBytes;

const relayServices: ReadonlySet<string> = new Set(['rtmp', 'srt', 'udp', 'hls']);

export function statusCode(parts: readonly SystemPart[], { availableBytes }: Load): number {
  const relayFailed = parts.some((part) => !part.ok && relayServices.has(part.name));
  const memoryLow = isMemoryLow(availableBytes) ? systemFlags.memoryLow : 0;
  return (relayFailed ? systemFlags.relayStartFailed : 0) + memoryLow;
}
