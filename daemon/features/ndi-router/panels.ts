/** Lets hardware panels control the router over the Videohub protocol, whose numbers start at 0. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { NdiLabel } from '../../contract/ndi-router-fields.ts';
import type { PanelServerFault, PanelServerState } from '../../contract/ndi-router-words.ts';
import type { Log } from '../../lib/log.ts';
import type { AnnouncedService } from '../../lib/mdns-service.ts';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import type { PanelActions } from '../../ndi/videohub/client.ts';
import { type PanelServer, startPanelServer } from '../../ndi/videohub/server.ts';
import type { PanelState } from '../../ndi/videohub/state.ts';
import { timing } from '../../timing.ts';
import { inputOf, type Lock } from './matrix.ts';
import type { NdiRouterService } from './service.ts';
import type { Clock } from './watch.ts';

export interface PanelSettings {
  readonly enabled: boolean;
  readonly address: string;
  readonly port: number;
  readonly allow: readonly string[];
  readonly model: string;
  readonly version: string;
}

interface PanelDeps {
  readonly settings: () => PanelSettings;
  /** '' if the hub has none. */
  readonly hubName: () => string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
}

type Service = Pick<NdiRouterService, 'core' | 'routeAll' | 'lock' | 'setInput' | 'setOutput'>;

export type NdiPanels = ReturnType<typeof createNdiPanels>;

export function createNdiPanels(service: Service, { settings, hubName, clock, log }: PanelDeps) {
  const { core } = service;
  const uniqueId = createHash('sha256').update(machineId()).digest('hex').slice(0, 12).toUpperCase();
  const shownName = () => hubName() || hostname();
  let server: PanelServer | undefined;
  let withdraw = () => {};
  let state: PanelServerState = 'off';
  let fault: PanelServerFault | undefined;
  let cancelRetry = () => {};
  const inTurn = oneAtATime();

  function panelState(): PanelState {
    const matrix = core.matrix();
    const { model, version } = settings();
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
    return {
      ...{ model, version, uniqueId, name: shownName() },
      // The router accepts routes while the process restarts, but panels must see that there is no runtime.
      isPresent: !['missing', 'unusable', 'off'].includes(core.runtime().state),
      inputs: numbers(matrix.inputCount).map((id) => {
        const { label, source } = inputOf(matrix, id);
        return label || source || `Input ${id}`;
      }),
      outputs: numbers(matrix.columns).map((id) => {
        const output = matrix.outputs.get(id);
        if (output === undefined) return undefined;
        const { lock } = output;
        return {
          ...{ label: output.label || output.name, input: output.slot === null ? null : output.slot - 1 },
          lockedBy: lock === null ? null : lock.by === 'panel' ? lock.owner : '',
        };
      }),
    };
  }

  const actorAt = (ip: string) => ({ name: '', ip });
  const lockOf = (address: string): Lock => ({ by: 'panel', userId: 0, owner: address });
  const checked = (label: string): string => {
    const read = NdiLabel.safeParse(label);
    if (!read.success) throw new Error('the label breaks a rule');
    return read.data;
  };
  const actions: PanelActions = {
    async route(address, routes) {
      const wanted = routes.map(({ output, input }) => ({ out: output + 1, in: input === null ? null : input + 1 }));
      await service.routeAll(
        { routes: wanted },
        {
          ...{ actor: actorAt(address), origin: { word: 'byPanel' } },
          // The protocol lets the owner of a lock route the output.
          passes: ({ by, owner }) => by === 'panel' && owner === address,
        },
      );
    },
    async lock(address, output, how) {
      const change = { lock: lockOf(address), locked: how === 'lock', force: how === 'force' };
      await service.lock(actorAt(address), [output + 1], change);
    },
    async setInputLabel(address, input, label) {
      await service.setInput({ actor: actorAt(address) }, { id: input + 1, label: checked(label) });
    },
    async setOutputLabel(address, output, label) {
      await service.setOutput({ actor: actorAt(address) }, { id: output + 1, label: checked(label) });
    },
  };

  /** As Videohub devices announce themselves. */
  const announced = (port: number): AnnouncedService => ({
    ...{ type: '_blackmagic._tcp', port, host: `videohub-${uniqueId.toLowerCase()}` },
    // Several hubs may have the same name.
    name: `${shownName()} ${uniqueId.slice(-4)}`,
    texts: [
      ...['txtvers=1', 'class=Videohub', `name=${shownName()}`],
      ...[`protocol version=${settings().version}`, `unique id=${uniqueId}`],
    ],
  });

  function stop(): void {
    cancelRetry();
    withdraw();
    withdraw = () => {};
    server?.close();
    server = undefined;
  }

  async function restart(): Promise<void> {
    stop();
    const { enabled, address, port, allow } = settings();
    const before = fault;
    [state, fault] = ['off', undefined];
    if (!enabled) return core.tell();
    try {
      server = await startPanelServer({
        ...{ host: address, port, allowed: allow, state: panelState, actions, log, onClients: core.tell },
        onChange(listener) {
          const stop = core.onChange(listener);
          return () => void stop();
        },
      });
      const own = server.port;
      // Its sockets take memory that a hub without panels does not need.
      const { announceService } = await import('../../lib/mdns-service.ts');
      withdraw = announceService({ service: () => announced(own), address, ...timing.mdns, log });
      state = 'listening';
      log.info('panels can connect', { address, port: server.port });
    } catch (error) {
      stop();
      [state, fault] = ['failed', faultOf(error)];
      // The address may be that of an interface that is not up yet.
      cancelRetry = clock.after(timing.panels.retryMs, () => void apply());
      if (fault !== before) log.error('panels cannot connect', { address, port, reason: String(error) });
    }
    core.tell();
  }

  const apply = (): Promise<void> => inTurn(restart);

  return {
    /** Call after the settings changed. Resolves when the server has started, failed or stopped. */
    apply,
    show: () => ({ state, ...(fault && { fault }), clients: [...(server?.clients() ?? [])] }),
    /** The open port, or undefined. */
    port: (): number | undefined => server?.port,
    close(): Promise<void> {
      return inTurn(stop);
    },
  };
}

function faultOf(error: unknown): PanelServerFault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EADDRINUSE' ? 'portTaken' : code === 'EADDRNOTAVAIL' ? 'noAddress' : 'other';
}

/** Containers may have none. */
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}
