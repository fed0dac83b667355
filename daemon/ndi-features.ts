/** The features of a hub that routes NDI. Their code is loaded with their first use. */

import { meets, type Variant } from './contract/variant.ts';
import type { Common } from './feature-parts.ts';
import { createHubDiscoveryServer } from './features/ndi-router/discovery-server.ts';
import { createNdiRouterFeature } from './features/ndi-router/feature.ts';
import { createNdiRuntimeFeature } from './features/ndi-router/runtime.ts';
import type { Log } from './lib/log.ts';
import type { NdiRouterPort } from './ndi/port.ts';
import { timing } from './timing.ts';

/** How the hub reaches the process that uses the NDI runtime. */
export type OpenNdiPort = (options: { readonly dataDir: string; readonly log: Log }) => Promise<NdiRouterPort>;

interface NdiDeps {
  readonly variant: Variant;
  readonly now: () => number;
  readonly log: Log;
  readonly openPort: OpenNdiPort;
}

export function ndiFeatures(
  { db, audit, uploads, dataDir, settings }: Common,
  { variant, now, log, openPort }: NdiDeps,
) {
  const isOn = meets(variant, 'ndiRouter');
  const discoveryServer = createHubDiscoveryServer({
    ...{ dataDir, log, settings: settings.ndiServer, isOn, onChange: () => router.tell() },
  });
  const router = createNdiRouterFeature({
    ...{ db, audit, now, log, isOn, discoveryServer, times: timing.ndiRouter },
    openPort: () => openPort({ dataDir, log }),
    discovery() {
      const { servers, extraIps, sendGroups: send, receiveGroups: receive } = settings.ndiDiscovery();
      return { servers, extraIps, groups: { send, receive } };
    },
    ...{ panelSettings: settings.videohub, hubName: settings.hubName },
    clock: {
      elapsed: () => performance.now(),
      after(ms, work) {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    },
  });
  settings.onNdiDiscoveryChange(router.applyDiscovery);
  settings.onVideohubChange(router.applyPanels);
  settings.onNdiServerChange(discoveryServer.apply);
  const runtime = createNdiRuntimeFeature({ db, audit, uploads, dataDir, log, load: router.load });
  return { router, discoveryServer, features: [discoveryServer, router, runtime] };
}

/** The process of this program that loads the runtime. */
export const openNdiRouter: OpenNdiPort = async (options) => new (await import('./ndi/router.ts')).NdiRouter(options);
