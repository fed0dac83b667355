import { deviceUpgradeApi } from '../../contract/device-upgrades.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { UpgradeParts } from './feature.ts';
import { createUpgradeService } from './service.ts';

export function upgradeRoutes(parts: UpgradeParts): Route[] {
  const upgrades = createUpgradeService(parts);
  return [
    bind(deviceUpgradeApi.start, ({ actor, session, objects, body }) =>
      upgrades.start(actor, signedIn(session), objects, body),
    ),
  ];
}
