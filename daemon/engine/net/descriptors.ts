/**
 * File descriptors of the engine. While few are left, players are refused: the rest is reserved for publishers, outputs
 * and child processes. Existing connections, including the hub's, are not touched.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { EnginePart } from '../../media/protocol/reported.ts';

interface DescriptorCount {
  /** Maximum number that the process may have open. */
  readonly limit: number;
  /** Number in use now. */
  used(): number;
}

export type Descriptors = ReturnType<typeof createDescriptors>;

interface DescriptorsOptions {
  readonly count: DescriptorCount;
  readonly onPart: (part: EnginePart) => void;
  readonly onPartDropped: (name: 'descriptors') => void;
}

const reserveShare = 1 / 4;
const maxReserved = 256;
/** Players are admitted again when this many times the reserve is left. */
const enough = 1.5;

export function createDescriptors({ count, onPart, onPartDropped }: DescriptorsOptions) {
  const { limit } = count;
  const reserve = Math.min(maxReserved, Math.ceil(limit * reserveShare));
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
    /** Takes a descriptor for a player, or returns why it is refused. */
    refusesPlayer() {
      used += 1;
      judge();
      if (!areFew) return undefined;
      used -= 1;
      return 'the media engine has few file descriptors left';
    },
    /** Counts descriptors. Called once per second. */
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

/** Descriptors of this process. The limit is read once, at the start. */
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
    // If counting fails for another reason, players are not refused.
    return code === 'EMFILE' || code === 'ENFILE' ? limit : 0;
  }
}
