/** Does one thing as root for the hub. */
import { parseArgs } from 'node:util';
import { createLog, type Log } from '../lib/log.ts';
import { exitCodes, fail, type Role } from './role.ts';

const usualRunDir = '/run/signalbox-helper';

export const role: Role = {
  help: `The service manager starts it for each connection to the socket of the helper, as root, with the connection as
standard input and output, in / and with an empty environment. It reads one line, a request of the hub, does what the
line asks for if that is one of its operations, writes one line, and exits. It is not for use by hand.

Options:
  --run-dir DIR       folder of its lock; by default ${usualRunDir}
  --restore-firewall  sets the packet filter that was set last instead; for a unit that runs before the network is up

Exit codes:
  0  the request was answered, even if it was refused, or the filter is in effect
  1  it could not be answered, or the filter could not be set
`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        'run-dir': { type: 'string', default: usualRunDir },
        'restore-firewall': { type: 'boolean', default: false },
      },
    });
    const log = createLog('info').in('helper');
    if (values['restore-firewall']) return restoreFirewall(log);
    // A machine that restarts stops this process, too, while it may be the one that answers for that.
    process.on('SIGTERM', () => log.info('asked to stop; the request is finished first'));
    const { serveRequest } = await import('./helper/serve.ts');
    return serveRequest({
      input: Bun.stdin.stream(),
      write: async (text) => void (await Bun.write(Bun.stdout, text)),
      log,
      runDir: values['run-dir'],
    });
  },
};

async function restoreFirewall(log: Log): Promise<number> {
  const firewall = await import('./helper/firewall.ts');
  try {
    await firewall.restoreFirewall(log);
    return 0;
  } catch (error) {
    return fail(log, `the packet filter is not in effect: ${String(error)}`, exitCodes.fault);
  }
}
