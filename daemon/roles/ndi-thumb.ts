/** Loads the NDI library and makes thumbnails of sources; the hub controls it. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import type { Role } from './role.ts';

export const role: Role = {
  help: `The hub starts it by itself and controls it.

Options:
  --library FILE   the NDI runtime
`,
  async run(args) {
    const { values } = parseArgs({ args, options: { library: { type: 'string' } } });
    if (values.library === undefined) throw new ConfigError('ndi-thumb needs --library');
    const { runThumbChild } = await import('../ndi/child/run-thumb.ts');
    return runThumbChild(values.library);
  },
};
