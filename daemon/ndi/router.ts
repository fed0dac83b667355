/**
 * Implements the router port with a process that loads the NDI library (role `ndi-router`). The hub holds the desired
 * state and sends it to each new process, so nothing is lost when a process ends.
 */
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { createRequestTable, RequestError } from '../ipc/request-table.ts';
import { createEmitter } from '../lib/emitter.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { type Attempt, Supervisor } from '../process/supervisor.ts';
import { timing as shipped, type Timing } from '../timing.ts';
import { type NdiRole, ndiCommand, ndiEnvironment, ndiHome } from './child-command.ts';
import { findRuntime, type SearchOptions } from './find-runtime.ts';
import type { ChildMessage, OutputReport } from './messages.ts';
import type { NdiProcess } from './ndi-process.ts';
import type {
  NdiDesired,
  NdiOutputState,
  NdiPicture,
  NdiRouteChange,
  NdiRouteResult,
  NdiRouterPort,
  NdiRuntimeState,
  NdiSource,
} from './port.ts';
import { type RuntimeSettings, writeRuntimeConfig } from './runtime-config.ts';
import { stateOfFault } from './runtime-state.ts';
import { ndiChild, startNdiProcess } from './start-process.ts';
import { NdiThumbnails, type UsableRuntime } from './thumbnails.ts';

interface RouterOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly timing?: Partial<Timing['ndi'] & Timing['ndiThumbnails']>;
  readonly search?: Partial<SearchOptions>;
  /** Returns the command of a process for a library; by default this program, confined. */
  readonly command?: (role: NdiRole, library: string, home: string) => readonly string[];
  /** Additional environment variables of the processes. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly avahiSocket?: string;
}

const maxRequests = 64;
const name = 'NDI router';

export class NdiRouter implements NdiRouterPort {
  readonly #options: RouterOptions;
  readonly #timing: Timing['ndi'];
  readonly #thumbnails: NdiThumbnails;
  readonly #home: string;
  readonly #changed = createEmitter();
  readonly #requests = createRequestTable<Applied>(name, maxRequests);
  #desired: NdiDesired | undefined;
  #runtime: NdiRuntimeState = { state: 'off' };
  #supervisor: Supervisor<NdiProcess> | undefined;
  #sources: readonly string[] = [];
  #outputs = new Map<number, OutputReport>();
  /** Full names of the outputs, and of former ones that the runtime still finds. */
  #own = new Set<string>();

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#timing = { ...shipped.ndi, ...options.timing };
    this.#home = ndiHome(options.dataDir, 'ndi-router');
    this.#thumbnails = new NdiThumbnails({
      ...options,
      timing: { ...this.#timing, ...shipped.ndiThumbnails, ...options.timing },
      runtime: () => this.#usable(),
    });
  }

  configure(desired: NdiDesired): void {
    const isRead = isDeepStrictEqual(settingsOf(this.#desired), settingsOf(desired));
    this.#desired = desired;
    if (!isRead) {
      if (this.#supervisor) this.#supervisor.restart('its settings changed');
      else this.retry();
    } else this.#supervisor?.link?.send(configureMessage(desired));
    this.#changed.emit();
  }

  async route(changes: readonly NdiRouteChange[]): Promise<Applied> {
    this.#desired = withRoutes(this.#desired, changes);
    const link = this.#supervisor?.link;
    if (!link) throw new HubError('noResponse', 'the NDI router is not running');
    if (this.#requests.isFull()) {
      // Nobody waits for a result, but the process gets the routes.
      if (this.#desired) link.send(configureMessage(this.#desired));
      throw new HubError('noResponse', 'the NDI router does not answer');
    }
    const { id, reply } = this.#requests.add(this.#timing.applyMs);
    link.send({ type: 'apply', request: id, changes: [...changes] });
    const results = await reply.catch((error: unknown) => {
      throw error instanceof RequestError ? new HubError('noResponse', error.message) : error;
    });
    this.#confirm(changes, results);
    return results;
  }

  /** Updates the outputs at once, because the next report of the process may be up to `pollMs` away. */
  #confirm(changes: readonly NdiRouteChange[], results: Applied): void {
    const applied = new Set(results.filter(({ result }) => result === 'applied').map(({ id }) => id));
    for (const { id, source } of changes) {
      const output = this.#outputs.get(id);
      if (output && applied.has(id)) this.#outputs.set(id, { ...output, applied: source });
    }
    this.#changed.emit();
  }

  sources(): readonly NdiSource[] {
    return this.#sources.map((each) => ({ name: each, isOwn: this.#own.has(each) }));
  }

  outputs(): readonly NdiOutputState[] {
    return (this.#desired?.outputs ?? []).map(({ id }) => {
      const { fault, ...known } = this.#outputs.get(id) ?? { id, fullName: '', applied: null, receivers: 0 };
      return { ...known, ...(fault && { fault }) };
    });
  }

  runtime(): NdiRuntimeState {
    return this.#runtime;
  }

  retry(): void {
    if (!this.#desired) return;
    void this.#supervisor?.close('retried');
    this.#supervisor = undefined;
    this.#lose('was started again');
    const { env = process.env, ...search } = this.#options.search ?? {};
    const found = findRuntime({ env, dataDir: this.#options.dataDir, ...search });
    if (found.outcome === 'missing')
      this.#become({ state: 'missing', folders: found.folders, remedy: 'installRuntime' });
    else if (found.outcome === 'unusable') this.#become(stateOfFault(found.path, found.fault, ''));
    else this.#start(found.path);
  }

  pictures(names: readonly string[], after: number): readonly NdiPicture[] {
    return this.#thumbnails.look(names, after);
  }

  onChange(listener: () => void): () => void {
    const end = this.#changed.on(listener);
    return () => void end();
  }

  async close(): Promise<void> {
    const supervisor = this.#supervisor;
    this.#supervisor = undefined;
    this.#desired = undefined;
    this.#lose('was ended');
    await Promise.all([supervisor?.close('the hub stops'), this.#thumbnails.close()]);
  }

  #usable(): UsableRuntime | undefined {
    const settings = settingsOf(this.#desired);
    return this.#runtime.state === 'running' && settings ? { path: this.#runtime.path, settings } : undefined;
  }

  #start(path: string): void {
    const { log } = this.#options;
    /** Whether the newest attempt could not write the configuration: then it says nothing about the library. */
    let lacksConfig = false;
    let hasRun = false;
    const open = async (attempt: Attempt) => {
      const fault = this.#writeConfig();
      lacksConfig = fault !== undefined;
      return fault ?? this.#open(path, attempt, () => this.#supervisor === supervisor);
    };
    const supervisor: Supervisor<NdiProcess> = new Supervisor({
      name,
      log,
      timing: this.#timing,
      child: ndiChild(open),
      // Only now, because from here on changes are sent to the process directly.
      onUp: (link) => {
        hasRun = true;
        if (this.#supervisor !== supervisor || !this.#desired) return;
        link.send(configureMessage(this.#desired));
        this.#become(this.#runningState(path, link));
      },
      onDown: ({ reason, retryInMs, isFailing }) => {
        if (this.#supervisor !== supervisor) return;
        this.#lose(reason);
        if (!isFailing) this.#become({ state: 'restarting', inMs: retryInMs, reason, remedy: 'wait' });
        else {
          this.#stopTrying();
          const isFileFault = !hasRun && !lacksConfig;
          this.#become(
            isFileFault ? stateOfFault(path, 'crashed', reason) : { state: 'failed', reason, remedy: 'retry' },
          );
        }
      },
    });
    this.#supervisor = supervisor;
    this.#become({ state: 'starting', path });
    supervisor.start();
  }

  /** Returns why the file with the desired settings, which the process reads once, cannot be written. */
  #writeConfig(): string | undefined {
    try {
      if (this.#desired) writeRuntimeConfig(this.#home, this.#desired);
      return undefined;
    } catch (error) {
      return `its configuration cannot be written: ${error}`;
    }
  }

  /** `isCurrent`: whether `retry` has not replaced its supervisor. */
  async #open(path: string, attempt: Attempt, isCurrent: () => boolean): Promise<NdiProcess | string> {
    const { log, command, environment } = this.#options;
    // They may change while it starts.
    const settings = settingsOf(this.#desired);
    const started = await startNdiProcess(
      {
        command: command?.('ndi-router', path, this.#home) ?? ndiCommand('ndi-router', path, this.#home),
        environment: { ...ndiEnvironment(this.#home), ...environment },
        startMs: this.#timing.startMs,
        log,
        onMessage: (message) => {
          if (isCurrent()) this.#receive(message);
        },
      },
      attempt.closing,
    );
    if (typeof started === 'string') return started;
    const { link, greeting } = started;
    if (greeting.type === 'fault') {
      link.kill(greeting.fault);
      if (isCurrent()) {
        this.#stopTrying();
        this.#become(stateOfFault(path, greeting.fault, greeting.detail));
      }
      return `${greeting.fault} ${greeting.detail}`;
    }
    if (isDeepStrictEqual(settings, settingsOf(this.#desired))) return link;
    link.kill('its settings changed while it started');
    return link.closed;
  }

  #runningState(path: string, { version, isSimulator }: NdiProcess): NdiRuntimeState {
    if (isSimulator) return { state: 'running', path, version, limit: 'simulator' };
    const hasMdns = existsSync(this.#options.avahiSocket ?? '/run/avahi-daemon/socket');
    const limit = hasMdns ? {} : ({ limit: 'noMdns', remedy: 'startAvahi' } as const);
    return { state: 'running', path, version, ...limit };
  }

  #stopTrying(): void {
    void this.#supervisor?.close('it cannot run');
    this.#supervisor = undefined;
  }

  #receive(message: ChildMessage): void {
    if (message.type === 'applied') this.#requests.resolve(message.request, message.results);
    else if (message.type === 'sources') {
      this.#sources = message.names;
      // Sources also appear or disappear when avahi-daemon starts or stops, so check for it now.
      const link = this.#supervisor?.link;
      if (this.#runtime.state === 'running' && link) this.#runtime = this.#runningState(this.#runtime.path, link);
    } else if (message.type === 'outputs') this.#outputs = new Map(message.outputs.map((each) => [each.id, each]));
    if (message.type === 'sources' || message.type === 'outputs') {
      this.#noteOwn();
      this.#changed.emit();
    }
  }

  #noteOwn(): void {
    const found = this.#own.intersection(new Set(this.#sources));
    this.#own = found.union(new Set([...this.#outputs.values()].map(({ fullName }) => fullName)));
  }

  #lose(reason: string): void {
    this.#requests.rejectAll(new RequestError('down', `the NDI router ${reason}`));
    this.#sources = [];
    this.#outputs.clear();
    this.#own.clear();
  }

  #become(state: NdiRuntimeState): void {
    this.#runtime = state;
    this.#changed.emit();
  }
}

type Applied = readonly { readonly id: number; readonly result: NdiRouteResult }[];

/** The settings that the library reads only once per process. */
function settingsOf(desired: NdiDesired | undefined): RuntimeSettings | undefined {
  if (!desired) return undefined;
  const { outputs: _, ...settings } = desired;
  return settings;
}

const configureMessage = ({ outputs }: NdiDesired) => ({ type: 'configure' as const, outputs: [...outputs] });

function withRoutes(desired: NdiDesired | undefined, changes: readonly NdiRouteChange[]): NdiDesired | undefined {
  const next = new Map(changes.map(({ id, source }) => [id, source]));
  const outputs = desired?.outputs.map((output) => {
    const source = next.get(output.id);
    return source === undefined ? output : { ...output, source };
  });
  return desired && outputs && { ...desired, outputs };
}
