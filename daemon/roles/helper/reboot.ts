import { HelperRefusal } from '../../appliance/helper/operations.ts';
import type { Handler } from './handlers.ts';
import { hasSystemd, ProgramFault, run } from './programs.ts';

/** Services are stopped in order, the hub and its engine among them. */
export const reboot: Handler<'system.reboot'> = async () => {
  if (!hasSystemd()) throw new HelperRefusal('failed', 'this machine has no systemd, which restarts it');
  try {
    await run('/usr/bin/systemctl', ['--no-ask-password', '--no-block', 'reboot']);
  } catch (error) {
    // The restart also ends this program, like all processes of the unit.
    if (!(error instanceof ProgramFault && error.signal === 'SIGTERM')) throw error;
  }
  return {};
};
