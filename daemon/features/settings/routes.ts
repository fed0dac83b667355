import { type Settings, settingsApi } from '../../contract/settings.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { SettingsService } from './service.ts';

export function settingsRoutes(settings: SettingsService): Route[] {
  return [
    bind(settingsApi.get, ({ session }) => {
      const shown = settings.shown();
      return isGranted(session, 'systemEdit') ? shown : withoutCode(shown);
    }),
    bind(settingsApi.revealCode, ({ actor }) => ({ 'code-value': settings.revealCode(actor) })),
    bind(settingsApi.set, async ({ actor, body, session }) => {
      const mayWeaken = isGranted(session, 'userControl');
      return { revision: await settings.change(actor, body, { mayWeaken }) };
    }),
  ];
}

function withoutCode(settings: Settings): Settings {
  const { 'enable-code': isNeeded } = settings.security;
  return { ...settings, security: { 'enable-code': isNeeded, 'code-value-set': true } };
}
