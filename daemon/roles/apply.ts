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
hub then restarts. The same file again changes nothing. docs/settings-file.md describes the file.

Options:
  --preview               only print what would change
  --hub URL               default: the hub on this machine whose data folder SIGNALBOX_DATA_DIR names
  --section NAME          only this section of the file; may be repeated
  --passphrase-file FILE  file whose first line is the passphrase of the secrets in FILE

${tokenVariable} is an access token of an administrator with all permissions.

Exit codes:
  0   the hub has these settings, or has them now
  1   the hub does not answer, or did not come back within 60 s
  2   an argument can't be used
  3   the hub refuses the file; the reason is printed
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
      },
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new ConfigError('name one settings file');
    const token = process.env[tokenVariable] ?? '';
    if (token === '') throw new ConfigError(`set ${tokenVariable} to an access token of an administrator`);
    const { applySettings } = await import('../apply-settings.ts');
    return applySettings({
      ...{ hub: values.hub ?? ownHub(), token, text: readText(file), isPreview: values.preview },
      ...(values.section && { sections: values.section }),
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
