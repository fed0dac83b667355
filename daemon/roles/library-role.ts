/** What the roles have in common that load the NDI library for the hub and do what it tells them. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import type { ChildWork } from '../ndi/child/run-child.ts';
import type { Role } from './role.ts';

/** `loadWork`: loads only the code of this role. */
export const libraryRole = (name: string, help: string, loadWork?: () => Promise<ChildWork>): Role => ({
  help: `${help}

Options:
  --library FILE   the NDI runtime
`,
  async run(args) {
    const { library } = parseArgs({ args, options: { library: { type: 'string' } } }).values;
    if (library === undefined) throw new ConfigError(`${name} needs --library`);
    const { runChild } = await import('../ndi/child/run-child.ts');
    return runChild(library, await loadWork?.());
  },
});
