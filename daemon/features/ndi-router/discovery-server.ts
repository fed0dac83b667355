/** The hub's own NDI discovery server for the composition root. Its code is loaded once it is switched on. */
import type { NdiRouter } from '../../contract/ndi-router.ts';
import type { Feature } from '../../http/feature.ts';
import type { Log } from '../../lib/log.ts';
import type { DiscoveryServer, DiscoveryServerSettings } from '../../ndi/discovery-server.ts';

interface Deps {
  readonly dataDir: string;
  readonly log: Log;
  readonly settings: () => DiscoveryServerSettings;
  /** Whether this hub routes NDI. */
  readonly isOn: boolean;
  readonly onChange: () => void;
}

export type HubDiscoveryServer = ReturnType<typeof createHubDiscoveryServer>;

export function createHubDiscoveryServer({ dataDir, log, settings, isOn, onChange }: Deps) {
  let loading: Promise<DiscoveryServer> | undefined;
  let server: DiscoveryServer | undefined;
  let isClosed = false;

  async function load(): Promise<DiscoveryServer> {
    const { createDiscoveryServer } = await import('../../ndi/discovery-server.ts');
    server = createDiscoveryServer({ dataDir, log, onChange });
    return server;
  }
  async function applySettings(): Promise<void> {
    loading ??= load();
    const loaded = await loading;
    if (!isClosed) await loaded.apply(settings());
  }
  function apply(): void {
    if (!isOn || (loading === undefined && !settings().enabled)) return;
    applySettings().catch((error) => log.error('the NDI discovery server cannot start', { reason: String(error) }));
  }

  return {
    start: apply,
    /** Call after the settings changed. */
    apply,
    show(): NonNullable<NdiRouter['discovery-server']> {
      const now = server?.state() ?? { state: 'disabled' as const };
      if (now.state !== 'waiting') return { state: now.state };
      const { state, fault } = now;
      if (fault === 'notInstalled') return { state, fault, folders: [...now.folders] };
      return { state, fault, detail: now.reason, 'restarts-in': now.inMs };
    },
    /** The port at which other machines can connect; undefined if it does not run. */
    listening: (): number | undefined => (server?.state().state === 'started' ? settings().port : undefined),
    async close(): Promise<void> {
      isClosed = true;
      await server?.close();
    },
  } satisfies Feature & Record<string, unknown>;
}
