import { settingsFileApi } from '../../contract/settings-file.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { SettingsFileService } from './service.ts';

export function settingsFileRoutes(files: SettingsFileService): Route[] {
  return [
    bind(settingsFileApi.export, ({ actor, body }) => files.export(actor, body)),
    bind(settingsFileApi.import, ({ actor, session, body }) => files.import(actor, signedIn(session), body)),
  ];
}
