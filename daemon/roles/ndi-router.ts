/** Loads the NDI library and routes sources; the hub controls it. */
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
    if (values.library === undefined) throw new ConfigError('ndi-router needs --library');
    const { runRouterChild } = await import('../ndi/child/run-router.ts');
    return runRouterChild(values.library);
  },
};
