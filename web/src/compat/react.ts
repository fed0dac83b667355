/** What `react` means in the shipped bundle: preact/compat and the names of React that our dependencies import beside it. */
import { type ComponentChildren, createElement } from 'preact';
import * as compat from 'preact/compat';

// @ts-expect-error: the types say `export =`, the module itself has names
export * from 'preact/compat';

interface ActivityProps {
  readonly mode?: 'visible' | 'hidden';
  readonly children?: ComponentChildren;
}

/** Hides, but unlike React's doesn't stop the effects of what it hides: pages must not rely on their teardown. */
export function Activity({ mode = 'visible', children }: ActivityProps) {
  // One element in both modes, so that a change of mode keeps the state of the children.
  return createElement('div', { style: { display: mode === 'hidden' ? 'none' : 'contents' } }, children);
}

/** Probed by the router, used by nobody here. */
export const useOptimistic = undefined;

export default { ...compat, Activity };
