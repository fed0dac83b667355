/** Does one thing as root for the hub. */
import { parseArgs } from 'node:util';
import { createLog } from '../lib/log.ts';
import type { Role } from './role.ts';

const usualRunDir = '/run/signalbox-helper';

export const role: Role = {
  help: `The service manager starts it for each connection to the socket of the helper, as root, with the connection as
standard input and output, in / and with an empty environment. It reads one line, a request of the hub, does what the
line asks for if that is one of its operations, writes one line, and exits. It is not for use by hand.

Options:
  --run-dir DIR  folder of its lock; by default ${usualRunDir}

Exit codes:
  0  the request was answered, even if it was refused
  1  it could not be answered
`,
  async run(args) {
    const { values } = parseArgs({ args, options: { 'run-dir': { type: 'string', default: usualRunDir } } });
    const { serveRequest } = await import('./helper/serve.ts');
    return serveRequest({
      input: Bun.stdin.stream(),
      write: async (text) => void (await Bun.write(Bun.stdout, text)),
      log: createLog('info').in('helper'),
      runDir: values['run-dir'],
    });
  },
};
