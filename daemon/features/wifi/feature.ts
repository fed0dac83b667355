/** Assembles Wi-Fi and USB network of the appliance for the composition root. Their code is loaded with the first call. */
import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { Log } from '../../lib/log.ts';
import type { WifiDeps } from './service.ts';

interface FeatureDeps extends WifiDeps {
  /** Whether this hub is an appliance. */
  readonly isOn: boolean;
  readonly log: Log;
}

export function createWifiFeature({ isOn, log, ...deps }: FeatureDeps): Feature {
  return {
    start() {
      // USB interfaces get addresses even if the page is never opened.
      if (isOn) deps.usb.prepare().catch((error) => log.warn('USB networks are not set up', { reason: String(error) }));
    },
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
