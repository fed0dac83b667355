/** Makes the lights of an Ethernet port blink, with ethtool. */
import { existsSync, readdirSync } from 'node:fs';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import type { Handler } from './handlers.ts';
import { run } from './programs.ts';

const program = '/usr/sbin/ethtool';
const notSupported = /not supported/i;

export const blink: Handler<'port.blink'> = async ({ interface: asked, seconds }) => {
  if (!existsSync(program)) throw new HelperRefusal('missing', 'the package ethtool is not installed', 'ethtool');
  const name = readdirSync('/sys/class/net').find((one) => one === asked);
  if (name === undefined) throw new HelperRefusal('failed', 'the machine has no such interface');
  try {
    await run(program, ['--identify', name, String(seconds)]);
    return { isSupported: true };
  } catch (error) {
    if (error instanceof HelperRefusal && notSupported.test(error.message)) return { isSupported: false };
    throw error;
  }
};
