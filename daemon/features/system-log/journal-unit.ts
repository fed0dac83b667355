import { existsSync, readFileSync } from 'node:fs';

/** What tells whether the hub runs as a unit of systemd. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of what sd_booted(3) looks at. */
  readonly isSystemd: boolean;
  /** `/proc/self/cgroup`. */
  readonly cgroups: string;
}

export function surroundings(): Surroundings {
  return { env: process.env, isSystemd: existsSync('/run/systemd/system'), cgroups: ownCgroups() };
}

/** The hub's own service; undefined where it was started by something else, such as a shell or a container. */
export function ownUnit({ env, isSystemd, cgroups }: Surroundings): string | undefined {
  if (!isSystemd || env.INVOCATION_ID === undefined) return undefined;
  const line = cgroups.split('\n').find((one) => /^(0:|\d+:name=systemd):/.test(one));
  return line?.split('/').findLast((part) => /^[\w@.\\-]+\.service$/.test(part));
}

function ownCgroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
