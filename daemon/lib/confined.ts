/** All child processes are started through the launcher `native/confine`, with only the rights that they need. */
import { existsSync } from 'node:fs';
import { installLayout } from './install-layout.ts';

/** What a child process may do; everything else is denied. Paths that do not exist are ignored. */
export interface Rights {
  /** Files and folders that it may read and execute. Always includes its program and the system's libraries. */
  readonly run?: readonly string[];
  readonly read?: readonly string[];
  /** Folders whose entries it may list, at any depth. */
  readonly list?: readonly string[];
  /** Files and folders that it may change, create and remove. */
  readonly write?: readonly string[];
  /** Unix sockets that the launcher connects to. The program gets them as descriptors 3, 4 and so on. */
  readonly connect?: readonly string[];
  /** Whether it keeps the channel of `Bun.spawn` to this process, its descriptor 3. Excludes `connect`. */
  readonly hasChannel?: boolean;
  /** Sockets that it may open; `internet` excludes unix sockets. Default: none. */
  readonly sockets?: 'internet' | 'any';
  /** Whether it may start processes and signal them. */
  readonly mayFork?: boolean;
  /** Whether it continues when this process ends. */
  readonly outlives?: boolean;
  readonly limits?: Limits;
}

export interface Limits {
  /** Bytes of address space, however used. */
  readonly addressSpace?: number;
  /** Bytes of writable memory, including thread stacks. */
  readonly data?: number;
  /** Bytes of each thread's stack. */
  readonly stack?: number;
  /** Open files. */
  readonly files?: number;
  /** Increment of the nice value, 0 to 19. */
  readonly nice?: number;
}

export const launcher = installLayout.confine;

/** Programs and libraries of the system. */
export const systemPrograms: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Files for name resolution; they are replaced when the network changes, so their folders are listed. */
export const nameResolution: readonly string[] = [
  ...['/etc', '/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager'],
];

/** Returns the command that starts `command` with these rights. Throws if the program or the launcher is missing. */
export function confined(command: readonly string[], rights: Rights): string[] {
  if (!existsSync(launcher)) throw new Error(`the launcher ${launcher} is missing; build it with "make build"`);
  const [name = '', ...args] = command;
  const program = Bun.which(name, { PATH: process.env.PATH ?? '' });
  if (program === null) throw new Error(`${name} was not found`);
  const { sockets, limits = {} } = rights;
  const options = [
    ...(rights.hasChannel ? ['--channel'] : []),
    ...each('--run', rights.run),
    ...each('--read', rights.read),
    ...each('--list', rights.list),
    ...each('--write', rights.write),
    ...each('--connect', rights.connect),
    ...(sockets === undefined ? [] : ['--sockets', sockets]),
    ...(rights.mayFork ? ['--fork'] : []),
    ...(rights.outlives ? ['--outlive'] : []),
    ...Object.entries(limits).flatMap(([name, value]) => [limitOptions[name as keyof Limits], `${value}`]),
  ];
  return [launcher, ...options, '--', program, ...args];
}

const limitOptions: Readonly<Record<keyof Limits, string>> = {
  addressSpace: '--address-space',
  data: '--data',
  stack: '--stack',
  files: '--files',
  nice: '--nice',
};

const each = (option: string, paths: readonly string[] = []): string[] => paths.flatMap((path) => [option, path]);
