import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { SettingsFileDeps } from './service.ts';

export function createSettingsFileFeature(deps: SettingsFileDeps): Feature {
  return {
    routes: [
      lazyRoutes(calls.settingsFile, async () => {
        const [{ settingsFileRoutes }, { createSettingsFileService }] = await Promise.all([
          import('./routes.ts'),
          import('./service.ts'),
        ]);
        return settingsFileRoutes(createSettingsFileService(deps));
      }),
    ],
  };
}
