import { settingsApi } from '../../contract/settings.ts';
import { bind, type Route } from '../../http/route.ts';
import type { SettingsService } from './service.ts';

export function settingsRoutes(settings: SettingsService): Route[] {
  return [
    bind(settingsApi.get, () => settings.shown()),
    bind(settingsApi.set, async ({ actor, body }) => ({ revision: await settings.change(actor, body) })),
  ];
}
