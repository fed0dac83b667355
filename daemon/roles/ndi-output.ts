/** Loads the NDI library and offers one source for a channel. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import type { Role } from './role.ts';

export const role: Role = {
  help: `The media engine starts it by itself; the frames come from the standard input.

Options:
  --library FILE   the NDI runtime
  --name NAME      name of the source on this machine
  --groups LIST    groups, separated by commas; default: the public group
`,
  async run(args) {
    const string = { type: 'string' } as const;
    const { values } = parseArgs({
      args,
      options: { library: string, name: string, groups: { type: 'string', default: '' } },
    });
    const { library, name, groups } = values;
    if (library === undefined || name === undefined) throw new ConfigError('ndi-output needs --library and --name');
    const { runOutputChild } = await import('../ndi/child/run-output.ts');
    return runOutputChild({ library, name, groups });
  },
};
