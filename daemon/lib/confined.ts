/** Every child process starts through the launcher `native/confine`, with no more rights than it needs. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** What a child may do; whatever is missing here is denied. Paths that do not exist are left out. */
export interface Rights {
  /** Files and folders that it may read and execute. Its program and the system's libraries are always among them. */
  readonly run?: readonly string[];
  readonly read?: readonly string[];
  /** Folders whose entries it may list, at any depth. */
  readonly list?: readonly string[];
  /** What it may change, create and remove. */
  readonly write?: readonly string[];
  /** Unix sockets that the launcher connects to. The program finds them as descriptors 3, 4 and so on. */
  readonly connect?: readonly string[];
  /** Sockets that it may open; `internet` excludes unix sockets. Default: none. */
  readonly sockets?: 'tcp' | 'internet' | 'any';
  /** With `tcp`: the only port that it may connect to, where the kernel can limit that (Linux 6.7). */
  readonly tcpPort?: number;
  /** Whether it may start processes and signal them. */
  readonly mayFork?: boolean;
  /** Whether it goes on when this process ends. */
  readonly outlives?: boolean;
  readonly limits?: Limits;
}

export interface Limits {
  /** Bytes, whatever they are used for. */
  readonly addressSpace?: number;
  /** Bytes that it can change, stacks of threads included. */
  readonly data?: number;
  /** Bytes of each thread's stack. */
  readonly stack?: number;
  /** Open files. */
  readonly files?: number;
  /** Steps of priority that it gives up, 0 to 19. */
  readonly nice?: number;
}

export const launcher = resolve(import.meta.dir, '../../native/confine/build/confine');

/** Programs and libraries of the system. */
export const systemPrograms: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** What looks up names; the files are replaced as the network changes, so their folders are named. */
export const nameResolution: readonly string[] = [
  ...['/etc', '/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager'],
];

/** The command that starts this one with these rights. Throws when the program or the launcher is missing. */
export function confined(command: readonly string[], rights: Rights): string[] {
  if (!existsSync(launcher)) throw new Error(`the launcher ${launcher} is missing; build it with "make build"`);
  const [name = '', ...args] = command;
  const program = Bun.which(name, { PATH: process.env.PATH ?? '' });
  if (program === null) throw new Error(`${name} was not found`);
  const { sockets, tcpPort, limits = {} } = rights;
  const options = [
    ...each('--run', rights.run),
    ...each('--read', rights.read),
    ...each('--list', rights.list),
    ...each('--write', rights.write),
    ...each('--connect', rights.connect),
    ...(sockets === undefined ? [] : ['--sockets', sockets]),
    ...(tcpPort === undefined ? [] : ['--tcp-port', `${tcpPort}`]),
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
