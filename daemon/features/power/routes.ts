import { powerApi } from '../../contract/power.ts';
import { bind, type Route } from '../../http/route.ts';
import type { PowerService } from './service.ts';

export function powerRoutes(power: PowerService): Route[] {
  return [
    bind(powerApi.reset, ({ actor, body }) => power.reset(actor, body)),
    bind(powerApi.reboot, ({ actor, body }) => power.reboot(actor, body.force === true)),
  ];
}
