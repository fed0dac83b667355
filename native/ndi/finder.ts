/** Lists the sources on the network. One per process is enough, and calls on it must not overlap. */
import { layouts } from './layout.ts';
import type { NdiLibrary } from './library.ts';
import { type Address, copyText, Struct } from './memory.ts';

/** More are ignored: no network that we know of comes near it, and the list crosses to the hub as one message. */
const maxSources = 4096;

export class Finder {
  readonly #calls: NdiLibrary['calls'];
  readonly #count = new Uint32Array(new ArrayBuffer(4));
  /** Kept for as long as the finder, in case the library does not copy it. */
  readonly #options = new Struct(layouts.findCreate).flag('showLocal', true);
  #handle: Address | null;

  /** Sources of this machine are included, because the hub's own outputs are among them. */
  constructor({ calls }: NdiLibrary) {
    this.#calls = calls;
    this.#handle = calls.NDIlib_find_create_v2(this.#options.memory);
    if (this.#handle === null) throw new Error('the NDI runtime made no finder');
  }

  /** Whether the library noticed a change since the last call. */
  hasChanged(): boolean {
    return this.#handle !== null && this.#calls.NDIlib_find_wait_for_sources(this.#handle, 0);
  }

  /** Returns the names at present, each once: a machine that is found in two ways lists its sources twice. */
  names(): string[] {
    if (this.#handle === null) return [];
    const array = this.#calls.NDIlib_find_get_current_sources(this.#handle, this.#count);
    const count = array === null ? 0 : Math.min(this.#count[0] ?? 0, maxSources);
    const names = new Set<string>();
    // Copied at once: the array is overwritten by the next call.
    for (let at = 0; at < count && array !== null; at++) {
      const name = copyText(array, at * layouts.source.bytes + layouts.source.fields.name.at);
      if (name !== '') names.add(name);
    }
    return [...names].sort();
  }

  close(): void {
    if (this.#handle !== null) this.#calls.NDIlib_find_destroy(this.#handle);
    this.#handle = null;
  }
}
