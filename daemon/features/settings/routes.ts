import { certificateApi } from '../../contract/certificates.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { settingsApi } from '../../contract/settings.ts';
import { isGranted } from '../../http/access.ts';
import { certificateFacts } from '../../http/certificate-facts.ts';
import { bind, type Route } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
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
    bind(certificateApi.get, () => presentCertificate(settings.certificate())),
    bind(certificateApi.upload, ({ actor, file }) => {
      const filename = settings.uploadCertificate(actor, 'cert', file);
      const pem = Buffer.from(file).toString('latin1');
      return { filename, certificate: certificateFacts(pem), 'has-key': settings.hasKeyOf(pem) };
    }),
    bind(certificateApi.uploadKey, ({ actor, file }) => ({ filename: settings.uploadCertificate(actor, 'key', file) })),
    bind(certificateApi.request, async ({ actor, body }) => ({
      request: await settings.requestCertificate(actor, body),
    })),
  ];
}

function presentCertificate(pem: string | undefined): ResponseOf<typeof certificateApi.get> {
  try {
    return pem === undefined ? {} : { certificate: certificateFacts(pem) };
  } catch (error) {
    // The settings say that it is not valid.
    if (error instanceof HubError) return {};
    throw error;
  }
}
