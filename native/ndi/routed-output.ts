/** A source of this machine that redirects receivers to another source. Media does not pass through this process. */
import { layouts } from './layout.ts';
import type { NdiLibrary } from './library.ts';
import { type Address, copyText, Struct, sourceNamed } from './memory.ts';

export class RoutedOutput {
  /** On the network: `MACHINE (name)`. */
  readonly fullName: string;
  readonly #calls: NdiLibrary['calls'];
  readonly #options: Struct<typeof layouts.routingCreate>;
  #source: Struct<typeof layouts.source> | undefined;
  #handle: Address | null;

  private constructor(calls: NdiLibrary['calls'], options: Struct<typeof layouts.routingCreate>, handle: Address) {
    this.#calls = calls;
    this.#options = options;
    this.#handle = handle;
    const source = calls.NDIlib_routing_get_source_name(handle);
    this.fullName = source === null ? '' : copyText(source, layouts.source.fields.name.at);
  }

  /** Returns undefined if the runtime refused, usually because another sender on this machine has the name. */
  static create({ calls }: NdiLibrary, name: string, groups: string): RoutedOutput | undefined {
    const options = new Struct(layouts.routingCreate).text('name', name).text('groups', groups || null);
    const handle = calls.NDIlib_routing_create(options.memory);
    return handle === null ? undefined : new RoutedOutput(calls, options, handle);
  }

  /** Returns false if the runtime refused. It accepts sources that are offline, and loops. */
  change(name: string): boolean {
    if (this.#handle === null) return false;
    this.#source = sourceNamed(name);
    return this.#calls.NDIlib_routing_change(this.#handle, this.#source.memory);
  }

  /** Receivers get a black frame, then nothing. */
  clear(): boolean {
    this.#source = undefined;
    return this.#handle !== null && this.#calls.NDIlib_routing_clear(this.#handle);
  }

  receivers(): number {
    return this.#handle === null ? 0 : Math.max(0, this.#calls.NDIlib_routing_get_no_connections(this.#handle, 0));
  }

  /** Receivers keep the picture of the last source, unless it was cleared some time before. */
  close(): void {
    if (this.#handle !== null) this.#calls.NDIlib_routing_destroy(this.#handle);
    this.#handle = null;
    this.#options.text('name', null);
  }
}
