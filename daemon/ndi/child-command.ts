/** How processes that load the NDI library are started, and their rights. */
import { dirname, join, resolve } from 'node:path';
import { confined, nameResolution } from '../lib/confined.ts';
import { installLayout } from '../lib/install-layout.ts';
import { timeDivisorName } from '../timing.ts';

export type NdiRole = 'ndi-router' | 'ndi-probe';

/** Folder of a process: its home, with the configuration of the library. */
export const ndiHome = (dataDir: string, role: NdiRole): string => resolve(dataDir, 'ndi', role);

/** An output takes five descriptors and four threads; the hub has at most 128. */
const files = 4096;

/** This program in that role, confined. Throws if a program is missing. */
export function ndiCommand(role: NdiRole, library: string, home: string): string[] {
  const { run, read, list } = installLayout.code;
  return confined([...installLayout.command, role, '--library', library], {
    run: [process.execPath, ...run],
    // The library asks the system's D-Bus for avahi-daemon, and reads the addresses of this machine.
    read: [...nameResolution, ...read, dirname(library), '/proc', '/sys/class/net', '/var/lib/dbus'],
    list,
    write: [home],
    sockets: 'any',
    hasChannel: true,
    limits: { files },
  });
}

/** Compiled code takes 5 MB and saves no time in a process that does next to nothing. `bun:ffi` needs the rest of it. */
const memorySettings = {
  ...{ BUN_JSC_useBaselineJIT: '0', BUN_JSC_useDFGJIT: '0', BUN_JSC_useRegExpJIT: '0', BUN_JSC_useWasm: '0' },
} as const;

/** Nothing of the hub's own environment is passed on but what the library and Bun need. */
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
