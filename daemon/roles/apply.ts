/** Applies a settings file to a running hub. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { ConfigError } from '../lib/config-error.ts';
import { readPortsFile } from '../store/ports-file.ts';
import type { Role } from './role.ts';

const tokenVariable = 'SIGNALBOX_TOKEN';

export const role: Role = {
  help: `It compares FILE with the settings of a running hub, prints what differs, and has the hub store it: all or nothing. The
hub then restarts if it needs to. The same file again changes nothing. docs/settings-file.md describes the file.

Options:
  --preview               only print what would change
  --hub URL               default: the hub on this machine whose data folder SIGNALBOX_DATA_DIR names
  --section NAME          only this section of the file; may be repeated
  --confirm               keep settings that change how the hub is reached only if this machine still reaches it, here or
                          at its new address; otherwise the hub returns to those of before
  --without-safety-net    keep such settings even if the hub cannot be reached any more; if it does not answer at the URL
                          after that, its new address is printed, and the exit code is 1
  --passphrase-file FILE  file whose first line is the passphrase of the secrets in FILE

${tokenVariable} is an access token of an administrator with all permissions.

Exit codes:
  0   the hub has these settings, or has them now
  1   the hub does not answer, or did not come back within 60 s
  2   an argument can't be used
  3   the hub refuses the file, or did not keep the settings; the reason is printed
  4   the file changes how the hub is reached, and neither --confirm nor --without-safety-net was given
  10  with --preview: something would change
`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        preview: { type: 'boolean', default: false },
        hub: { type: 'string' },
        section: { type: 'string', multiple: true },
        'passphrase-file': { type: 'string' },
        confirm: { type: 'boolean', default: false },
        'without-safety-net': { type: 'boolean', default: false },
      },
    });
    const { confirm: confirms, 'without-safety-net': accepts } = values;
    if (confirms && accepts) throw new ConfigError('--confirm and --without-safety-net exclude each other');
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new ConfigError('name one settings file');
    const token = process.env[tokenVariable] ?? '';
    if (token === '') throw new ConfigError(`set ${tokenVariable} to an access token of an administrator`);
    const { applySettings } = await import('../apply-settings.ts');
    return applySettings({
      ...{ hub: values.hub ?? ownHub(), token, text: readText(file), isPreview: values.preview },
      ...(values.section && { sections: values.section }),
      risk: confirms ? 'confirm' : accepts ? 'accept' : undefined,
      ...(values['passphrase-file'] && { passphrase: readText(values['passphrase-file']).split(/\r?\n/, 1)[0] }),
      say: (line) => void process.stdout.write(`${line}\n`),
    });
  },
};

function ownHub(): string {
  const { dataDir } = readConfig(process.env);
  const places = readPortsFile(dataDir);
  if (places === undefined) throw new ConfigError(`no hub runs on the data folder ${dataDir}; name one with --hub`);
  return `http://127.0.0.1:${places.http}`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path} can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`);
  }
}
