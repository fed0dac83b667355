/** Assembles the NDI router for the composition root. The first use loads its code and starts its process. */
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { NdiInput, NdiOutput, NdiRouter, NdiSalvo, NdiSource } from '../../contract/ndi-router.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createObjectTopic, type Key } from '../../http/topic.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';
import type { NdiRouterPort } from '../../ndi/port.ts';
import type { HubDiscoveryServer } from './discovery-server.ts';
import type { NdiPanels, PanelSettings } from './panels.ts';
import { ndiPictures } from './pictures.ts';
import type { NdiRouterDeps, NdiRouterService } from './service.ts';
import { isRouterStored } from './store.ts';

interface FeatureDeps extends Omit<NdiRouterDeps, 'port' | 'defaultBaseName'> {
  readonly panelSettings: () => PanelSettings;
  /** '' if the hub has none. */
  readonly hubName: () => string;
  /** Whether this hub routes NDI; otherwise no process is started, even if routes are stored. */
  readonly isOn: boolean;
  readonly openPort: () => Promise<NdiRouterPort>;
  readonly discoveryServer: Pick<HubDiscoveryServer, 'show'>;
}

export type NdiRouterFeature = ReturnType<typeof createNdiRouterFeature>;

export function createNdiRouterFeature({
  isOn,
  openPort,
  panelSettings,
  hubName,
  discoveryServer,
  ...deps
}: FeatureDeps) {
  let service: NdiRouterService | undefined;
  let panels: NdiPanels | undefined;
  let loading: Promise<NdiRouterService> | undefined;
  let isClosed = false;
  async function open(): Promise<NdiRouterService> {
    const [{ createNdiRouterService }, { createNdiPanels }, { ownBaseName }, port] = await Promise.all([
      import('./service.ts'),
      import('./panels.ts'),
      import('./base-name.ts'),
      openPort(),
    ]);
    const loaded = createNdiRouterService({ ...deps, port, defaultBaseName: ownBaseName() });
    if (isClosed) {
      await loaded.close();
      return loaded;
    }
    service = loaded;
    panels = createNdiPanels(loaded, { settings: panelSettings, hubName, clock: deps.clock, log: deps.log });
    await panels.apply();
    return loaded;
  }
  const load = (): Promise<NdiRouterService> => {
    loading ??= open().catch((error) => {
      // The disk may have been full: the next call tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const loadLogged = (): void =>
    void load().catch((error) => deps.log.error('the NDI router cannot start', { reason: String(error) }));

  /** Loads the router for the first subscriber of a topic, then subscribes to its changes. */
  const watched =
    (follow: (loaded: NdiRouterService, changed: (keys: Iterable<Key>) => void) => () => void) =>
    (changed: (keys: Iterable<Key>) => void) => {
      let isOver = false;
      let leave = () => {};
      load().then(
        (loaded) => {
          if (!isOver) leave = follow(loaded, changed);
        },
        (error) => deps.log.error('the NDI router cannot be loaded', { reason: String(error) }),
      );
      return () => {
        isOver = true;
        leave();
      };
    };

  const showRouter = (): NdiRouter[] =>
    service
      ? [
          {
            ...service.core.showRouter(),
            ...(panels && { panels: panels.show() }),
            'discovery-server': discoveryServer.show(),
          },
        ]
      : [];
  const topics = [
    createObjectTopic<NdiRouter>({
      ...{ name: 'ndi-router', scope: eventTopics['ndi-router'], keyOf: () => 0 },
      all: () => showRouter(),
      find: () => showRouter()[0],
      watch: watched(({ core }, changed) => {
        changed([0]);
        return core.onChange(({ router }) => router && changed([0]));
      }),
    }),
    createObjectTopic<NdiInput>({
      ...{ name: 'ndi-inputs', scope: eventTopics['ndi-inputs'], keyOf: ({ id }) => id },
      all: () => service?.get().inputs ?? [],
      find: (key) =>
        Number(key) <= (service?.core.matrix().inputCount ?? 0) ? service?.core.showInput(Number(key)) : undefined,
      watch: watched(({ core }, changed) => {
        changed(core.inputIds());
        return core.onChange(({ inputs }) => changed(inputs));
      }),
    }),
    createObjectTopic<NdiOutput>({
      ...{ name: 'ndi-outputs', scope: eventTopics['ndi-outputs'], keyOf: ({ id }) => id },
      all: () => service?.get().outputs ?? [],
      find: (key) => service?.core.showOutput(Number(key)),
      watch: watched(({ core }, changed) => {
        changed(core.matrix().outputs.keys());
        return core.onChange(({ outputs }) => changed(outputs));
      }),
    }),
    createObjectTopic<NdiSource>({
      ...{ name: 'ndi-sources', scope: eventTopics['ndi-sources'], keyOf: ({ name }) => name },
      all: () => service?.core.sources() ?? [],
      find: (key) => service?.core.source(String(key)),
      watch: watched(({ core }, changed) => {
        changed(core.sources().map(({ name }) => name));
        return core.onChange(({ sources }) => changed(sources));
      }),
    }),
    createObjectTopic<NdiSalvo>({
      ...{ name: 'ndi-salvos', scope: eventTopics['ndi-salvos'], keyOf: ({ id }) => id },
      all: () => service?.salvos.list() ?? [],
      find: (key) => service?.salvos.find(Number(key)),
      watch: watched(({ salvos }, changed) => {
        changed(salvos.list().map(({ id }) => id));
        return salvos.onChange(changed);
      }),
    }),
  ];

  return {
    routes: [
      lazyRoutes(calls.ndiRouter, async () => (await import('./routes.ts')).ndiRouterRoutes(load, showRouter)),
      lazyRoutes(calls.ndiSources, async () => (await import('./routes.ts')).ndiSourceRoutes(load)),
      lazyRoutes(calls.ndiSalvos, async () => (await import('./routes.ts')).ndiSalvoRoutes(load)),
      lazyRoutes(calls.ndiPresets, async () => (await import('./routes.ts')).ndiPresetRoutes(load)),
    ],
    topics,
    pictures: [ndiPictures(isOn, load)],
    load,
    start(): void {
      if (isOn && (isRouterStored(deps.db) || panelSettings().enabled)) loadLogged();
    },
    async close(): Promise<void> {
      isClosed = true;
      await panels?.close();
      await service?.close();
    },
    /** Call after the settings of the server for panels changed. */
    applyPanels(): void {
      if (panels) void panels.apply();
      else if (isOn && panelSettings().enabled) loadLogged();
    },
    /** Call after the state of the discovery server has changed. */
    tell: (): void => service?.core.tell(),
    /** Call after the settings of the discovery changed. */
    applyDiscovery: (): void => service?.core.configure(),
    /** The port at which other machines can connect; undefined if there is none. */
    listening: (): number | undefined => (isLoopback(panelSettings().address) ? undefined : panels?.port()),
  } satisfies Feature & Record<string, unknown>;
}
