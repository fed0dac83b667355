/**
 * Routes NDI sources in a separate process, which has one finder and all outputs. No call of the library waits, so the
 * process answers the hub's pings unless the library hangs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Finder } from '../../../native/ndi/finder.ts';
import type { NdiLibrary } from '../../../native/ndi/library.ts';
import { RoutedOutput } from '../../../native/ndi/routed-output.ts';
import { limits } from '../../contract/limits.ts';
import { oneLine } from '../../contract/one-line.ts';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import { type Timing, timing } from '../../timing.ts';
import { type ChildMessage, type ChildOutput, type HubMessage, maxSources, type OutputReport } from '../messages.ts';
import type { ChildWork } from './run-child.ts';

interface Held {
  wanted: ChildOutput;
  /** Undefined while another sender on this machine has the name of the output. */
  output: RoutedOutput | undefined;
  applied: string | null;
  receivers: number;
  /** Whether the runtime refused the newest route. */
  hasFailed: boolean;
}

/** Receivers are counted only once per second, because this takes one call per output. */
const looksPerCount = 4;

interface RouterChildOptions {
  readonly library: NdiLibrary;
  readonly timing: Timing['ndi'];
  send(message: ChildMessage): void;
}

export const routeSources: ChildWork = (library, send) => new RouterChild({ library, timing: timing.ndi, send });

class RouterChild {
  readonly #options: RouterChildOptions;
  readonly #finder: Finder;
  readonly #poll: Timer;
  #held = new Map<number, Held>();
  /** The removal of outputs waits before it destroys them. An error ends the process, and the next one starts afresh. */
  readonly #inTurn = oneAtATime();
  #reported = { sources: '', outputs: '' };
  #createdAt = 0;
  #looks = 0;

  constructor(options: RouterChildOptions) {
    this.#options = options;
    this.#finder = new Finder(options.library);
    this.#poll = setInterval(() => this.#look(), options.timing.pollMs);
  }

  receive(message: HubMessage): void {
    if (message.type === 'ping') this.#options.send({ type: 'pong' });
    else if (message.type === 'configure') void this.#inTurn(() => this.#configure(message.outputs));
    else if (message.type === 'apply') void this.#inTurn(() => this.#apply(message.request, message.changes));
  }

  /** Destroys nothing: the end of the process releases what the library holds. */
  close(): void {
    clearInterval(this.#poll);
  }

  async #configure(outputs: readonly ChildOutput[]): Promise<void> {
    const next = new Map(outputs.map((wanted) => [wanted.id, wanted]));
    await this.#remove([...this.#held].filter(([id, { wanted }]) => !isSameOutput(wanted, next.get(id))));
    // Each output is routed right after it is created, because an output without a source sends a black frame.
    this.#held = new Map(outputs.map((wanted) => [wanted.id, this.#bring(wanted)]));
    this.#createdAt = performance.now();
    this.#report();
  }

  /** Clears outputs before it destroys them: receivers would otherwise keep the picture of the source. */
  async #remove(leaving: readonly (readonly [number, Held])[]): Promise<void> {
    const existing = leaving.filter(([, { output }]) => output !== undefined);
    for (const [, { output }] of existing) output?.clear();
    if (existing.length > 0) await delay(this.#options.timing.clearMs);
    for (const [id, { output }] of leaving) {
      output?.close();
      this.#held.delete(id);
    }
  }

  /** Creates the output if it does not exist, and routes it if it has another source. */
  #bring(wanted: ChildOutput): Held {
    const held = this.#held.get(wanted.id) ?? {
      wanted,
      output: undefined,
      applied: null,
      receivers: 0,
      hasFailed: false,
    };
    held.wanted = wanted;
    held.output ??= RoutedOutput.create(this.#options.library, wanted.name, wanted.group);
    if (held.output && (held.hasFailed || held.applied !== wanted.source)) route(held);
    return held;
  }

  #apply(request: number, changes: Extract<HubMessage, { type: 'apply' }>['changes']): void {
    const results = changes.map(({ id, source }) => {
      const held = this.#held.get(id);
      if (!held) return { id, result: 'failed' as const };
      held.wanted = { ...held.wanted, source };
      if (held.output) route(held);
      return { id, result: faultOf(held) ?? ('applied' as const) };
    });
    this.#options.send({ type: 'applied', request, results });
    this.#report();
  }

  #look(): void {
    this.#lookForSources();
    if (performance.now() - this.#createdAt > this.#options.timing.createAgainMs) {
      this.#createdAt = performance.now();
      void this.#inTurn(() => this.#createMissing());
    }
    if (this.#looks++ % looksPerCount === 0) this.#countReceivers();
  }

  #countReceivers(): void {
    let hasChanged = false;
    for (const held of this.#held.values()) {
      const receivers = held.output?.receivers() ?? 0;
      hasChanged ||= receivers !== held.receivers;
      held.receivers = receivers;
    }
    if (hasChanged) this.#report();
  }

  #lookForSources(): void {
    // Reading all names is the most expensive part of polling.
    if (!this.#finder.hasChanged()) return;
    const names = this.#finder.names(maxSources).filter(isName);
    const key = names.join('\n');
    if (key !== this.#reported.sources) {
      this.#reported.sources = key;
      this.#options.send({ type: 'sources', names });
    }
  }

  /** Tries to create outputs again whose name was taken: the other sender may have ended. */
  #createMissing(): void {
    const missing = [...this.#held.values()].filter(({ output }) => !output);
    for (const { wanted } of missing) this.#bring(wanted);
    if (missing.length > 0) this.#report();
  }

  /** Sends the outputs if anything about them changed. */
  #report(): void {
    const outputs = [...this.#held].map(([id, held]): OutputReport => {
      const { output, applied, receivers } = held;
      const fault = faultOf(held);
      const live = { fullName: output?.fullName ?? '', applied, receivers };
      return { id, ...live, ...(fault && { fault }) };
    });
    const key = JSON.stringify(outputs);
    if (key === this.#reported.outputs) return;
    this.#reported.outputs = key;
    this.#options.send({ type: 'outputs', outputs });
  }
}

/** Other names cannot be routed, and the hub refuses a message with one that is too long. */
const isName = (name: string) => name.length <= limits.ndi.name && oneLine.test(name);

function route(held: Held): void {
  const { source } = held.wanted;
  const isDone = source === null ? held.output?.clear() : held.output?.change(source);
  held.hasFailed = isDone !== true;
  if (isDone) held.applied = source;
}

function faultOf({ output, hasFailed }: Held): OutputReport['fault'] {
  if (!output) return 'nameTaken';
  return hasFailed ? 'failed' : undefined;
}

function isSameOutput(held: ChildOutput, wanted: ChildOutput | undefined): boolean {
  return held.name === wanted?.name && held.group === wanted.group;
}
