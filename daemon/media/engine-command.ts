/** How the engine is started, and its rights: they include all rights of its children, which inherit its limits. */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { confined, nameResolution, type Rights, systemPrograms } from '../lib/confined.ts';
import { installLayout } from '../lib/install-layout.ts';
import { socketPath } from '../lib/socket-path.ts';
import { ndiReads } from '../ndi/child-command.ts';
import { ndiFolders, ownRuntimeFolder } from '../ndi/find-runtime.ts';
import type { LastingPlace } from '../process/lasting-files.ts';
import { timeDivisorName } from '../timing.ts';

interface EnginePlace {
  readonly dataDir: string;
  /** Path or name of the FFmpeg program. */
  readonly ffmpeg: string;
}

/** Where the engine's process id and log are. */
export function engineFiles(dataDir: string): LastingPlace {
  return { dataDir, file: 'engine' };
}

const slatesFolder = (dataDir: string) => resolve(dataDir, 'slates');

/**
 * Bun's allocator returns unused memory to the kernel before the program waits and in a thread of its own, so also
 * between two frames, which take it again; and a timer collects garbage every second. Without these, the engine needs a
 * sixth less CPU. Memory is still returned and collected as more is allocated.
 */
export const memorySettings = {
  MIMALLOC_PURGE_HOLES: '0',
  MIMALLOC_SCAVENGER: '0',
  BUN_GC_TIMER_DISABLE: '1',
} as const;

/**
 * Only variables that a program needs to find others and its temporary folder, and the trusted certificates; the hub's
 * own settings are not passed on.
 */
export function engineEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SIGNALBOX_LOG', timeDivisorName];
  const passedOn = [...names, ...ndiFolders].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...memorySettings, ...Object.fromEntries(passedOn) };
}

/** This program in the role `media`. */
export function engineCommand({ dataDir, ffmpeg }: EnginePlace): string[] {
  return [...installLayout.command, 'media', '--data-dir', resolve(dataDir), '--ffmpeg', ffmpeg];
}

/** The engine receives its secrets over its socket, so it needs neither the database nor the key file. */
export function confinedEngine(command: readonly string[], place: EnginePlace): string[] {
  // Paths that do not exist when the engine starts stay inaccessible to it.
  for (const folder of [slatesFolder(place.dataDir), ownRuntimeFolder(resolve(place.dataDir))]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return confined(command, engineRights(place));
}

function engineRights({ dataDir, ffmpeg }: EnginePlace): Rights {
  const data = resolve(dataDir);
  const named = ['NODE_EXTRA_CA_CERTS', ...ndiFolders].flatMap((name) => process.env[name] || []);
  const { run, read, list } = installLayout.code;
  return {
    run: [...systemPrograms, process.execPath, ...run, ...ffmpegPlace(ffmpeg, data)],
    read: [...nameResolution, ...read, slatesFolder(data), ownRuntimeFolder(data), ...ndiReads, ...named],
    list,
    write: [dirname(socketPath(data, 'engine'))],
    sockets: 'any',
    mayFork: true,
    outlives: true,
  };
}

/** The folder of an FFmpeg other than the system's, because the program may be installed or replaced later. */
function ffmpegPlace(ffmpeg: string, dataDir: string): string[] {
  if (!ffmpeg.includes('/')) return [];
  const path = resolve(ffmpeg);
  const folder = dirname(path);
  return [isBelow(dataDir, folder) ? path : folder];
}

/** Whether a path is this folder or inside it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
