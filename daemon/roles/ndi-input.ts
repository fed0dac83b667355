/** Loads the NDI library and receives one source for a channel. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import type { Role } from './role.ts';

export const role: Role = {
  help: `The media engine starts it by itself; the frames go to the standard output.

Options:
  --library FILE    the NDI runtime
  --source NAME     name of the source on the network
  --low-bandwidth   receive the small picture
`,
  async run(args) {
    const string = { type: 'string' } as const;
    const { values } = parseArgs({
      args,
      options: { library: string, source: string, 'low-bandwidth': { type: 'boolean', default: false } },
    });
    const { library, source } = values;
    if (library === undefined || source === undefined) throw new ConfigError('ndi-input needs --library and --source');
    const { runInputChild } = await import('../ndi/child/run-input.ts');
    return runInputChild({ library, source, bandwidth: values['low-bandwidth'] ? 'low' : 'full' });
  },
};
