/** A native endpoint under supervision: passes operations and media to the process that is running now. */

import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { NamedEvent } from '../../ipc/frames.ts';
import { confined, type Rights } from '../../lib/confined.ts';
import { type FramedOptions, FramedProcess, type FramedTiming } from '../../process/framed-process.ts';
import { type Child, type Down, Supervisor, type SupervisorTiming } from '../../process/supervisor.ts';
import { timing } from '../../timing.ts';

interface EndpointOptions<Event extends NamedEvent>
  extends Omit<FramedOptions<Event>, 'command' | 'environment' | 'timing'> {
  readonly binary: string;
  /** Command line of the program; see `confinedEndpoint`. */
  readonly command: () => readonly string[];
  /** The endpoint has started without any state: send listeners, keys, calls and the contents of the feeds. */
  onStart(): void;
  /** The endpoint is gone, with all its connections. Reason `missing`: the program does not exist. */
  onDown(down: Down): void;
  readonly environment?: FramedOptions<Event>['environment'];
  readonly timing?: Partial<FramedTiming & SupervisorTiming>;
}

/**
 * A runaway endpoint must not take the memory of the others. libsrt has a thread per receiving connection: with stacks
 * of 8 MB, the system's default, thousands of them would appear to need more memory than there is.
 */
const limits = { data: Math.floor((totalmem() * 3) / 4), stack: 1 << 20 };

/** Command line of an endpoint that can reach its own socket, and nothing else but what these rights allow. */
export function confinedEndpoint(
  binary: string,
  socketPath: string,
  rights: Pick<Rights, 'read' | 'sockets'>,
): string[] {
  return confined([binary, '--socket', 'fd:3'], { ...rights, connect: [socketPath], limits });
}

/** Returns why an endpoint is down, for the engine's list of components. `needs`: what its build needs. */
export function whyDown(
  protocol: 'SRT' | 'UDP',
  { reason, isFailing }: Down,
  needs = '',
): { reason: string; message: string } {
  if (reason === 'missing') {
    return { reason, message: `The ${protocol} endpoint is missing: build it with "make build"${needs}` };
  }
  const message = `The ${protocol} endpoint ended (${reason}); it is started again`;
  return { reason: isFailing ? 'failing' : 'crashed', message };
}

export class Endpoint<Event extends NamedEvent, Operation extends object> {
  private readonly supervisor: Supervisor<FramedProcess<Event>>;

  constructor(options: EndpointOptions<Event>) {
    const { name, log, onStart, onDown, timing: chosen } = options;
    this.supervisor = new Supervisor({
      ...{ name, log, onDown, child: framedChild(options), onUp: onStart },
      timing: { ...timing.supervisor, ...chosen },
    });
    // Deferred, because the caller's handlers may need the object that is created here.
    queueMicrotask(() => this.supervisor.start());
  }

  /** Process id of the running endpoint; 0 if there is none. */
  get pid(): number {
    return this.supervisor.link?.pid ?? 0;
  }

  /** Returns false while the endpoint is not running; send it again from `onStart`. */
  send(operation: Operation): boolean {
    return this.supervisor.link?.send(operation) ?? false;
  }

  /** Sends an operation with a copy of a descriptor. Returns false if the endpoint cannot take it now. */
  sendDescriptor(operation: Operation, descriptor: number): boolean {
    return this.supervisor.link?.sendDescriptor(operation, descriptor) ?? false;
  }

  /** Returns false if the bytes were dropped: the endpoint is not running, or too much is queued. */
  sendData(feed: number, flags: number, bytes: Uint8Array): boolean {
    return this.supervisor.link?.sendData(feed, flags, bytes) ?? false;
  }

  restart(reason: string): void {
    this.supervisor.restart(reason);
  }

  close(reason: string): Promise<void> {
    return this.supervisor.close(reason);
  }
}

function framedChild<Event extends NamedEvent>(options: EndpointOptions<Event>): Child<FramedProcess<Event>> {
  const { environment = {}, timing: chosen, command, binary, ...rest } = options;
  return {
    async open({ closing }) {
      if (closing.aborted) return 'stopped';
      if (!existsSync(binary)) return 'missing';
      const child = new FramedProcess<Event>({
        ...{ ...rest, environment, command: command() },
        timing: { ...timing.endpoint, ...chosen },
      });
      const cancel = () => void child.stop();
      closing.addEventListener('abort', cancel);
      const hasGreeted = await child.greeted;
      closing.removeEventListener('abort', cancel);
      return hasGreeted ? child : child.closed;
    },
    kill: (child, reason) => child.kill(reason),
    stop: (child) => child.stop(),
    // One that is starting is stopped by `open`.
    close: async (child) => child?.stop(),
  };
}
