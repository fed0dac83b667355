import { certificateApi } from '../../contract/certificates.ts';
import { settingsApi } from '../../contract/settings.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { SettingsService } from './service.ts';

/** To be called when every group is registered. */
export function settingsRoutes(settings: SettingsService): Route[] {
  return [
    bind(settingsApi.get, ({ session }) => settings.shown(isGranted(session, 'systemEdit'))),
    bind(settingsApi.revealCode, ({ actor }) => ({ 'code-value': settings.revealCode(actor) })),
    bind({ ...settingsApi.set, body: settings.changeSchema() }, async ({ actor, body, session }) => {
      const mayWeaken = isGranted(session, 'userControl');
      return { revision: await settings.change(actor, body, { mayWeaken }) };
    }),
    bind(settingsApi.confirm, ({ actor, body }) => settings.confirm(actor, body.group)),
  ];
}

export function certificateRoutes(settings: SettingsService): Route[] {
  return [
    bind(certificateApi.upload, ({ actor, file }) => ({ filename: settings.uploadCertificate(actor, 'cert', file) })),
    bind(certificateApi.uploadKey, ({ actor, file }) => ({ filename: settings.uploadCertificate(actor, 'key', file) })),
    bind(certificateApi.request, async ({ actor, body }) => ({
      request: await settings.requestCertificate(actor, body),
    })),
  ];
}
