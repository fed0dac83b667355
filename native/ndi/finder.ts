/** Lists the sources on the network. A process needs only one finder, and its calls must not overlap. */
import { layouts } from './layout.ts';
import type { NdiLibrary } from './library.ts';
import { type Address, copyText, Struct } from './memory.ts';

export class Finder {
  readonly #calls: NdiLibrary['calls'];
  readonly #count = new Uint32Array(new ArrayBuffer(4));
  /** Kept as long as the finder exists, in case the library does not copy the options. */
  readonly #options = new Struct(layouts.findCreate).flag('showLocal', true);
  #handle: Address | null;

  /** Sources of this machine are included, because the hub's own outputs are among them. */
  constructor({ calls }: NdiLibrary) {
    this.#calls = calls;
    this.#handle = calls.NDIlib_find_create_v2(this.#options.memory);
    if (this.#handle === null) throw new Error('the NDI runtime did not create a finder');
  }

  /** Whether the sources have changed since the last call. */
  hasChanged(): boolean {
    return this.#handle !== null && this.#calls.NDIlib_find_wait_for_sources(this.#handle, 0);
  }

  /**
   * Returns the current names without duplicates: the library lists a source twice if it discovers it in two ways.
   * `most`: of the sources in its list; others are left out.
   */
  names(most: number): string[] {
    if (this.#handle === null) return [];
    const array = this.#calls.NDIlib_find_get_current_sources(this.#handle, this.#count);
    const count = array === null ? 0 : Math.min(this.#count[0] ?? 0, most);
    const names = new Set<string>();
    // The next call overwrites the array, so the names are copied at once.
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
