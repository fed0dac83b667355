/**
 * File descriptors of the engine. While few are left, no player is let in: the rest is for publishers, for outputs and for
 * what the engine starts. Connections that exist, the hub's among them, are not touched.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { EnginePart } from './status.ts';

export interface DescriptorCount {
  /** The most that the process may have open. */
  readonly limit: number;
  /** Those in use now. */
  used(): number;
}

export interface Descriptors {
  /** Takes a descriptor for a player, or tells why none is given. */
  refusesPlayer(): string | undefined;
  /** Counts. Once a second. */
  tick(): void;
}

interface DescriptorsOptions {
  readonly count: DescriptorCount;
  readonly onPart: (part: EnginePart) => void;
  readonly onPartDropped: (name: 'descriptors') => void;
}

const reserveShare = 1 / 4;
const mostReserved = 256;
/** Players are let in again when this many times the reserve is left. */
const enough = 1.5;

export function createDescriptors({ count, onPart, onPartDropped }: DescriptorsOptions): Descriptors {
  const { limit } = count;
  const reserve = Math.min(mostReserved, Math.ceil(limit * reserveShare));
  let used = count.used();
  let areFew = false;

  const judge = () => {
    const left = limit - used;
    const before = areFew;
    areFew = left < (before ? reserve * enough : reserve);
    if (areFew && !before)
      onPart({ name: 'descriptors', ok: false, reason: 'fewLeft', message: fewLeft(reserve, limit) });
    if (before && !areFew) onPartDropped('descriptors');
  };
  return {
    refusesPlayer() {
      used += 1;
      judge();
      if (!areFew) return undefined;
      used -= 1;
      return 'the media engine has few file descriptors left';
    },
    tick() {
      used = count.used();
      judge();
    },
  };
}

function fewLeft(reserve: number, limit: number): string {
  const remedy = 'raise the limit of open files of the hub, LimitNOFILE in its systemd unit, and start it again';
  return `fewer than ${reserve} of ${limit} file descriptors of the media engine are left, so it refuses players; ${remedy}`;
}

/** Of this process. Its limit is taken as it is at the start. */
export function ownDescriptors(): DescriptorCount {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return { limit, used: () => countOwn(limit) };
}

/** Since Linux 6.2 the size of that folder is the number, which takes no descriptor to read. Listing it takes one. */
function countOwn(limit: number): number {
  try {
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Whoever can't count for another reason refuses nobody.
    return code === 'EMFILE' || code === 'ENFILE' ? limit : 0;
  }
}
