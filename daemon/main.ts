/** Selects the role; see --help. */
import { ConfigError } from './lib/config-error.ts';
import { installLayout } from './lib/install-layout.ts';
import { exitCodes, type Role } from './roles/role.ts';
import { version } from './version.ts';

interface RoleEntry {
  readonly usage: string;
  readonly summary: string;
  // Each role loads only its own code: the engine has no database, the hub no protocols.
  readonly load: () => Promise<{ readonly role: Role }>;
}

const roles: Readonly<Record<string, RoleEntry>> = {
  hub: { usage: '', summary: 'run the hub in the foreground', load: () => import('./roles/hub.ts') },
  media: {
    usage: ' --data-dir DIR [OPTION...]',
    summary: 'run the media engine; the hub starts it by itself',
    load: () => import('./roles/media.ts'),
  },
  agent: {
    usage: ' --hub HOST --device URL [OPTION...]',
    summary: 'connect devices with a hub that cannot reach them',
    load: () => import('./roles/agent.ts'),
  },
  helper: {
    usage: ' [--run-dir DIR]',
    summary: 'do one thing as root for the hub; the service manager starts it by itself',
    load: () => import('./roles/helper.ts'),
  },
  apply: {
    usage: ' FILE [--preview] [OPTION...]',
    summary: 'apply a settings file to a running hub, or see what it would change',
    load: () => import('./roles/apply.ts'),
  },
  backup: {
    usage: ' FOLDER',
    summary: 'copy the data of the hub, which may be running, to a new folder',
    load: () => import('./roles/backup.ts'),
  },
  'ndi-router': {
    usage: ' --library FILE',
    summary: 'route NDI sources; the hub starts it by itself',
    load: () => import('./roles/ndi-router.ts'),
  },
  'ndi-thumb': {
    usage: ' --library FILE',
    summary: 'make thumbnails of NDI sources; the hub starts it by itself',
    load: () => import('./roles/ndi-thumb.ts'),
  },
  'ndi-probe': {
    usage: ' --library FILE',
    summary: 'check whether an NDI runtime can be used; the hub starts it by itself',
    load: () => import('./roles/ndi-probe.ts'),
  },
  'ndi-input': {
    usage: ' --library FILE --source NAME [OPTION...]',
    summary: 'receive an NDI source; the media engine starts it by itself',
    load: () => import('./roles/ndi-input.ts'),
  },
  'ndi-output': {
    usage: ' --library FILE --name NAME [OPTION...]',
    summary: 'offer an NDI source; the media engine starts it by itself',
    load: () => import('./roles/ndi-output.ts'),
  },
  health: {
    usage: '',
    summary: 'exit with 0 if the hub on this machine is ready',
    load: () => import('./roles/health.ts'),
  },
  'reset-admin': {
    usage: '',
    summary: 'set another password of Admin while the hub is stopped',
    load: () => import('./roles/reset-admin.ts'),
  },
};

const { program } = installLayout;
const help = `Signalbox ${version}

Usage: ${program} ROLE [OPTION...]
       ${program} --version

Roles; ROLE --help describes each:
${Object.entries(roles)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join('\n')}
`;

process.exit(await main(process.argv.slice(2)));

async function main([name = '', ...args]: string[]): Promise<number> {
  if (name === '--version') return print(`${version}\n`);
  if (name === '--help' || name === 'help') return print(help);
  const entry = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (entry === undefined) {
    process.stderr.write(`${name === '' ? 'name a role' : `there is no role ${name}`}\n\n${help}`);
    return exitCodes.badSettings;
  }
  try {
    const { role } = await entry.load();
    if (args.includes('--help')) return print(`Usage: ${program} ${name}${entry.usage}\n\n${role.help}`);
    return await role.run(args);
  } catch (error) {
    if (!isUsersFault(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.badSettings;
  }
}

/** A setting or an argument; `parseArgs` throws errors with such a code. */
function isUsersFault(error: unknown): error is Error {
  if (error instanceof ConfigError) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
