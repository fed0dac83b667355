/** Replaces `react` in the shipped bundle: preact/compat and the other React names that our dependencies import. */
import { type ComponentChildren, createElement } from 'preact';
import * as compat from 'preact/compat';

// @ts-expect-error: the types declare `export =`, but the module has named exports
export * from 'preact/compat';

interface ActivityProps {
  readonly mode?: 'visible' | 'hidden';
  readonly children?: ComponentChildren;
}

/** Hides its children, but unlike React's does not stop their effects: pages must not rely on their teardown. */
export function Activity({ mode = 'visible', children }: ActivityProps) {
  // The same element in both modes, so that a change of mode keeps the state of the children.
  return createElement('div', { style: { display: mode === 'hidden' ? 'none' : 'contents' } }, children);
}

/** Probed by the router; not used here. */
export const useOptimistic = undefined;

export default { ...compat, Activity };
