import type { ChangeKind } from '../../appliance/confirmed-change/kind.ts';
import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { SettingsFileDeps, SettingsFileService } from './service.ts';

export function createSettingsFileFeature(deps: SettingsFileDeps) {
  let loading: Promise<SettingsFileService> | undefined;
  const load = (): Promise<SettingsFileService> => {
    loading ??= import('./service.ts').then(({ createSettingsFileService }) => createSettingsFileService(deps));
    return loading;
  };
  return {
    routes: [
      lazyRoutes(calls.settingsFile, async () => {
        const [{ settingsFileRoutes }, service] = await Promise.all([import('./routes.ts'), load()]);
        return settingsFileRoutes(service);
      }),
    ],
    /** What an import stores in the database, as a part of a change of the appliance. */
    part: async () => (await load()).part as ChangeKind,
  } satisfies Feature & { part: unknown };
}
