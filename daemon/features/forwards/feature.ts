/** Assembles the port forwards for the composition root. Their code is loaded with the first one. */
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { Forward } from '../../contract/forwards.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';
import type { Queries } from '../../store/database.ts';
import type { ForwardDeps, ForwardService } from './service.ts';
import { countForwards, disownForwards, type ForwardRow } from './store.ts';

interface FeatureDeps extends ForwardDeps {
  /** Whether this hub manages devices; otherwise no forward runs. */
  readonly isOn: boolean;
  /** Calls the listener when an access token ends. */
  readonly onTokenEnd: (listener: () => void) => () => void;
}

export function createForwardFeature({ isOn, onTokenEnd, ...deps }: FeatureDeps) {
  let service: ForwardService | undefined;
  let loading: Promise<ForwardService> | undefined;
  let isClosed = false;
  let stops: (() => void)[] = [];

  const load = (): Promise<ForwardService> => {
    loading ??= import('./service.ts').then(({ createForwardService }) => begin(createForwardService(deps)));
    return loading;
  };
  function begin(loaded: ForwardService): ForwardService {
    if (isClosed) {
      loaded.close();
      return loaded;
    }
    service = loaded;
    loaded.resume();
    const ofDevices = (sns: readonly string[], isStored: boolean) => {
      const changed = new Set(sns);
      const rows = [...loaded.all()].filter(({ sn }) => changed.has(sn));
      if (rows.length === 0) return;
      if (isStored) loaded.recheck();
      loaded.tell(rows.map(({ id }) => id));
    };
    stops = [deps.devices.onChange(ofDevices), onTokenEnd(loaded.recheck)];
    return loaded;
  }
  const loadLogged = (): void =>
    void load().catch((error) => deps.log.error('the port forwards cannot be loaded', { reason: String(error) }));

  return {
    routes: [lazyRoutes(calls.forwards, async () => (await import('./routes.ts')).forwardRoutes(load))],
    topics: [
      createObjectTopic<ForwardRow, Forward | undefined>({
        name: 'forwards',
        scope: eventTopics.forwards,
        all: () => service?.all() ?? [],
        find: (id) => service?.find(Number(id)),
        keyOf: ({ id }) => id,
        show: (row) => service?.show(row),
        canSee: (session, { sn }) => deps.devices.canSee(session, sn),
        watch(changed) {
          let isOver = false;
          let leave = () => {};
          load().then(
            (loaded) => {
              if (isOver) return;
              const stop = loaded.onChange(changed);
              leave = () => void stop();
              changed([...loaded.all()].map(({ id }) => id));
            },
            () => {},
          );
          return () => {
            isOver = true;
            leave();
          };
        },
      }),
    ],
    metrics: ({ gauge }: MetricWriter) => {
      const { started = 0, connections = 0 } = service?.figures() ?? {};
      gauge('signalbox_forwards', 'Port forwards that are started.', started);
      gauge('signalbox_forward_connections', 'Connections of port forwards.', connections);
    },
    start(): void {
      if (isOn && countForwards(deps.db) > 0) loadLogged();
    },
    close(): void {
      isClosed = true;
      for (const stop of stops) stop();
      service?.close();
    },
    /** Those that other machines can reach. */
    listening: () =>
      [...(service?.all() ?? [])]
        .filter(({ isStarted, openPort, address }) => isStarted && openPort !== 0 && !isLoopback(address))
        .map(({ name, sn, openPort }) => ({ name: name || (deps.devices.standing(sn)?.name ?? sn), port: openPort })),
    /** Call after every change of users and their permissions. */
    recheck: (): void => service?.recheck(),
    /** Call within the transaction that deletes a user, and `recheck` after it. */
    disown: (tx: Queries, userId: number): void => disownForwards(tx, userId),
  };
}
