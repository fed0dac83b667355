/** Assembles the firewall of the appliance for the composition root. Its code is loaded when an appliance starts. */
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { Firewall } from '../../contract/firewall.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import type { FirewallDeps, FirewallService } from './service.ts';

interface FeatureDeps extends FirewallDeps {
  /** Whether this hub is an appliance; otherwise nothing of this starts. */
  readonly isOn: boolean;
  /** Calls the listener when the ports of the console may have changed. */
  readonly onPorts: (listener: () => void) => () => void;
}

/** The topic has one object. */
const key = 0;

export function createFirewallFeature({ isOn, onPorts, ...deps }: FeatureDeps) {
  let service: FirewallService | undefined;
  let loading: Promise<FirewallService> | undefined;
  let isClosed = false;
  let leave = () => {};
  const load = (): Promise<FirewallService> => {
    loading ??= import('./service.ts').then(({ createFirewallService }) => {
      const loaded = createFirewallService(deps);
      service = loaded;
      if (isClosed) loaded.close();
      else leave = onPorts(() => void loaded.refresh());
      return loaded;
    });
    return loading;
  };
  return {
    routes: [lazyRoutes(calls.firewall, async () => (await import('./routes.ts')).firewallRoutes(load))],
    topics: [
      createObjectTopic<Firewall>({
        name: 'firewall',
        scope: eventTopics.firewall,
        all: () => (service === undefined ? [] : [service.shown()]),
        find: () => service?.shown(),
        keyOf: () => key,
        watch(changed) {
          let isOver = false;
          let stops: (() => void)[] = [];
          void load().then((loaded) => {
            if (isOver) return;
            const stop = loaded.onChange(() => changed([key]));
            stops = [loaded.watch(), () => void stop()];
          });
          return () => {
            isOver = true;
            for (const stop of stops) stop();
          };
        },
      }),
    ],
    start(): void {
      if (!isOn) return;
      load()
        .then((loaded) => loaded.start())
        .catch((error) => deps.log.error('the firewall cannot be applied', { reason: String(error) }));
    },
    close(): void {
      isClosed = true;
      leave();
      service?.close();
    },
    /** How a change of it is made and undone. */
    kind: async () => (await load()).kind,
  } satisfies Feature & { kind: unknown };
}
