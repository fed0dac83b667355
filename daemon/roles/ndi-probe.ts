/** Loads the NDI library once, to see whether it can be used. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import type { Role } from './role.ts';

export const role: Role = {
  help: `The hub starts it by itself before it uses a file.

Options:
  --library FILE   the NDI runtime
`,
  async run(args) {
    const { values } = parseArgs({ args, options: { library: { type: 'string' } } });
    if (values.library === undefined) throw new ConfigError('ndi-probe needs --library');
    const { openHubChannel } = await import('../ndi/child/hub-channel.ts');
    const { loadAndGreet } = await import('../ndi/child/load.ts');
    const channel = openHubChannel();
    loadAndGreet(values.library, channel);
    await channel.closed;
    return 0;
  },
};
