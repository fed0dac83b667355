/** Where the parts of the program are: in the source tree, or in a folder that `make dist` made. */
import { dirname, relative, resolve } from 'node:path';

export interface InstallLayout {
  /** How a user starts this program, for the help text. */
  readonly program: string;
  /** Starts this program; the role follows. */
  readonly command: readonly string[];
  /** What this program needs in another role: files and folders that it executes, reads, and lists. */
  readonly code: {
    readonly run: readonly string[];
    readonly read: readonly string[];
    readonly list: readonly string[];
  };
  readonly console: string;
  /** openapi.json. */
  readonly apiDescription: string;
  readonly rtmpEndpoint: string;
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  /** The launcher of child processes. */
  readonly confine: string;
  readonly dataDir: string;
}

export const installLayout: InstallLayout = isCompiled() ? installed(process.execPath) : sourceTree();

/** A compiled program has its sources in a file system of its own. */
function isCompiled(): boolean {
  return import.meta.dir.startsWith('/$bunfs/');
}

function sourceTree(): InstallLayout {
  const root = resolve(import.meta.dir, '../..');
  const inRoot = (...names: string[]) => names.map((name) => resolve(root, name));
  const built = (name: string, program: string) => resolve(root, `native/${name}/build/${program}`);
  // The tests run the program as one file, which starts in half the time: build/program/main.js.
  const main = import.meta.path.endsWith('.js') ? relative(root, import.meta.path) : 'daemon/main.ts';
  return {
    program: 'bun daemon/main.ts',
    command: [process.execPath, resolve(root, main)],
    code: {
      run: inRoot(dirname(main), 'native', 'node_modules'),
      read: inRoot('package.json', 'tsconfig.json', 'bunfig.toml'),
      list: [root],
    },
    console: resolve(root, 'web/dist'),
    apiDescription: resolve(root, 'docs/openapi.json'),
    rtmpEndpoint: built('rtmp', 'rtmp-endpoint'),
    srtEndpoint: built('srt', 'srt-endpoint'),
    udpEndpoint: built('udp', 'udp-endpoint'),
    confine: built('confine', 'confine'),
    dataDir: resolve('var'),
  };
}

/** `program` is PREFIX/bin/signalbox; its parts are below the same prefix. */
export function installed(program: string, environment = process.env): InstallLayout {
  const prefix = dirname(dirname(program));
  const library = resolve(prefix, 'lib/signalbox');
  return {
    program: 'signalbox',
    command: [program],
    code: { run: [library], read: [], list: [] },
    console: resolve(prefix, 'share/signalbox/console'),
    apiDescription: resolve(prefix, 'share/signalbox/openapi.json'),
    rtmpEndpoint: resolve(library, 'rtmp-endpoint'),
    srtEndpoint: resolve(library, 'srt-endpoint'),
    udpEndpoint: resolve(library, 'udp-endpoint'),
    confine: resolve(library, 'confine'),
    dataDir: installedDataDir(environment),
  };
}

/** The service's folder under systemd, the system's for root, else the user's own. */
function installedDataDir({ STATE_DIRECTORY, XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string {
  if (STATE_DIRECTORY) return STATE_DIRECTORY;
  if (process.getuid?.() === 0 || !HOME) return '/var/lib/signalbox';
  return resolve(XDG_STATE_HOME || resolve(HOME, '.local/state'), 'signalbox');
}
