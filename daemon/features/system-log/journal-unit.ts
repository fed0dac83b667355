import { existsSync, readFileSync } from 'node:fs';

/** Determines whether the hub runs as a systemd unit. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As determined by sd_booted(3). */
  readonly isSystemd: boolean;
  /** `/proc/self/cgroup`. */
  readonly cgroups: string;
}

export function environment(): Environment {
  return { env: process.env, isSystemd: existsSync('/run/systemd/system'), cgroups: ownCgroups() };
}

/** The hub's own service; undefined if it was started otherwise, such as by a shell or a container. */
export function ownUnit({ env, isSystemd, cgroups }: Environment): string | undefined {
  if (!isSystemd || env.INVOCATION_ID === undefined) return undefined;
  // A container may have both hierarchies, of which its systemd uses one.
  const paths = cgroups.split('\n').filter((line) => /^(0:|\d+:name=systemd):/.test(line));
  return paths.flatMap((path) => path.split('/').findLast((part) => /^[\w@.\\-]+\.service$/.test(part)) ?? [])[0];
}

function ownCgroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
