/** Assembles the network of the appliance for the composition root. Its code is loaded with the first use. */
import type { Context } from 'hono';
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { Network } from '../../contract/network.ts';
import type { Feature } from '../../http/feature.ts';
import { type HubEnv, lazyRoutes } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import type { NetworkDeps, NetworkService } from './service.ts';

interface FeatureDeps extends NetworkDeps {
  readonly signIn: (http: Context<HubEnv>, userId: number) => Promise<void>;
}

/** The topic has one object. */
const key = 0;

export function createNetworkFeature({ signIn, ...deps }: FeatureDeps): Feature {
  let service: NetworkService | undefined;
  let loading: Promise<NetworkService> | undefined;
  const load = (): Promise<NetworkService> => {
    loading ??= import('./service.ts').then(({ createNetworkService }) => {
      service = createNetworkService(deps);
      return service;
    });
    return loading;
  };
  const current = () => service?.shown();
  return {
    routes: [
      lazyRoutes(calls.network, async () => {
        const [{ networkRoutes }, { createWrongTokens }] = await Promise.all([
          import('./routes.ts'),
          import('./wrong-tokens.ts'),
        ]);
        const wrongTokens = createWrongTokens(() => performance.now());
        return networkRoutes({ service: await load(), wrongTokens, signIn });
      }),
    ],
    topics: [
      createObjectTopic<Network>({
        name: 'network',
        scope: eventTopics.network,
        all: () => [current()].filter((one) => one !== undefined),
        find: current,
        keyOf: () => key,
        watch(changed) {
          let isOver = false;
          let leave = () => {};
          void load().then((loaded) => {
            if (!isOver) leave = loaded.follow(() => changed([key]));
          });
          return () => {
            isOver = true;
            leave();
          };
        },
      }),
    ],
  };
}
