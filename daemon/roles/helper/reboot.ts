import { HelperRefusal } from '../../appliance/helper/operations.ts';
import type { Handler } from './handlers.ts';
import { hasSystemd, run } from './programs.ts';

/** Services are stopped in order, the hub and its engine among them. */
export const reboot: Handler<'system.reboot'> = async () => {
  if (!hasSystemd()) throw new HelperRefusal('failed', 'this machine has no systemd, which restarts it');
  await run('/usr/bin/systemctl', ['--no-ask-password', '--no-block', 'reboot']);
  return {};
};
