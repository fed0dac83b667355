/** Take mode: routes are prepared and sent together. The browser stores the mode; only this page holds the routes. */
import { create } from 'zustand';

const storageKey = 'signalbox-ndi-take';

interface Staging {
  readonly isTake: boolean;
  /** By output; null: no source. */
  readonly staged: ReadonlyMap<number, number | null>;
}

export const useStaging = create<Staging>(() => ({ isTake: isKept(), staged: new Map() }));

function isKept(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'on';
  } catch {
    // Storage may be blocked; then the default applies.
    return false;
  }
}

export function setTake(isTake: boolean): void {
  try {
    if (isTake) localStorage.setItem(storageKey, 'on');
    else localStorage.removeItem(storageKey);
  } catch {
    // Applies to this page only.
  }
  useStaging.setState({ isTake, staged: new Map() });
}

/** Prepares a route. Drops it if it is prepared already, or if the output already has it. */
export function stage(output: number, input: number | null, routed: number | null): void {
  useStaging.setState(({ staged }) => {
    const next = new Map(staged);
    if (staged.get(output) === input || input === routed) next.delete(output);
    else next.set(output, input);
    return { staged: next };
  });
}

export function clearStaged(...outputs: readonly number[]): void {
  useStaging.setState(({ staged }) => {
    if (outputs.length === 0) return { staged: new Map() };
    const next = new Map(staged);
    for (const output of outputs) next.delete(output);
    return { staged: next };
  });
}
