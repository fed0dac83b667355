/** The real packet filter: nftables, which only root may change. */
import type { HelperClient } from '../helper/client.ts';
import { byHub } from '../helper/operations.ts';
import type { FirewallPort } from './port.ts';

export function createNftables(helper: HelperClient): FirewallPort {
  return {
    apply: async (setup, asker) => (await helper.call('firewall.apply', { setup }, asker)).reading,
    read: async () => (await helper.call('firewall.read', {}, byHub)).reading,
  };
}
