/** Assembles Wi-Fi and USB network of the appliance for the composition root. Their code is loaded with the first call. */
import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { WifiDeps } from './service.ts';

export function createWifiFeature(deps: WifiDeps): Feature {
  return {
    routes: [
      lazyRoutes(calls.wifi, async () => {
        const [{ createWifiService }, { wifiRoutes }] = await Promise.all([
          import('./service.ts'),
          import('./routes.ts'),
        ]);
        return wifiRoutes(createWifiService(deps));
      }),
    ],
  };
}
