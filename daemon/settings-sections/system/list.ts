/** All areas of an appliance in the settings file, in the order in which changes take effect. */
import type { Appliance } from '../../appliance/appliance.ts';
import type { Database } from '../../store/database.ts';
import type { SystemArea } from '../section.ts';
import { firewallArea } from './firewall.ts';
import { networkArea } from './network.ts';
import { timeArea } from './time.ts';
import { webArea } from './web.ts';
import { wifiArea } from './wifi.ts';

interface Deps {
  readonly appliance: Appliance;
  readonly db: Database;
  readonly settings: Parameters<typeof webArea>[0];
  readonly now: () => number;
}

export function systemAreas({ appliance: { net, routes, time, wifi }, db, settings, now }: Deps): SystemArea[] {
  return [timeArea(time), firewallArea(db), wifiArea(wifi), networkArea({ db, net, routes }), webArea(settings, now)];
}
