/** The command, environment and rights of processes that load the NDI library. */
import { dirname, join, resolve } from 'node:path';
import { confined, nameResolution } from '../lib/confined.ts';
import { installLayout } from '../lib/install-layout.ts';
import { timeDivisorName } from '../timing.ts';

export type NdiRole = 'ndi-router' | 'ndi-thumb' | 'ndi-probe' | 'ndi-input' | 'ndi-output';

/** Returns the home folder of a process, which has the configuration file of the library. */
export const ndiHome = (dataDir: string, role: NdiRole): string => resolve(dataDir, 'ndi', role);

/** Limit of descriptors: an output takes five of them and four threads, and the hub has at most 128 outputs. */
const files = 4096;

/** The library uses avahi-daemon over the system's D-Bus and reads the addresses of this machine; Bun reads /proc. */
export const ndiReads: readonly string[] = ['/proc', '/sys/class/net', '/var/lib/dbus'];

/** Returns the command that runs this program, confined, in the given role. Throws if a program is missing. */
export function ndiCommand(role: NdiRole, library: string, home: string, options: readonly string[] = []): string[] {
  const { run, read, list } = installLayout.code;
  return confined([...installLayout.command, role, '--library', library, ...options], {
    run: [process.execPath, ...run],
    read: [...nameResolution, ...read, dirname(library), ...ndiReads],
    list,
    write: [home],
    sockets: 'any',
    hasChannel: true,
    limits: { files },
  });
}

/** The JIT takes 5 MB and saves no time in a process that is mostly idle. `bun:ffi` needs the rest of the JIT. */
const memorySettings = {
  ...{ BUN_JSC_useBaselineJIT: '0', BUN_JSC_useDFGJIT: '0', BUN_JSC_useRegExpJIT: '0', BUN_JSC_useWasm: '0' },
} as const;

/** Passes on only the variables of the hub's environment that the library and Bun need. */
export function ndiEnvironment(home: string): Record<string, string> {
  const names = ['TZ', 'LANG', 'DBUS_SYSTEM_BUS_ADDRESS', timeDivisorName];
  const passedOn = names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return {
    ...memorySettings,
    HOME: home,
    NDI_CONFIG_DIR: home,
    TMPDIR: join(home, 'tmp'),
    ...Object.fromEntries(passedOn),
  };
}
