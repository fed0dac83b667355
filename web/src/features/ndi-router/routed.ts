import type { NdiInput, NdiOutput, NdiRoute, RouteResult } from '../../../../daemon/contract/ndi-router.ts';

/**
 * Returns the outputs after a call that routed some, from the hub's answer. The events with the same content arrive
 * later, and until then the page would show the old routes again.
 */
export function withRouted(
  outputs: readonly NdiOutput[],
  inputs: ReadonlyMap<number, NdiInput>,
  routes: readonly NdiRoute[],
  results: readonly RouteResult[],
): NdiOutput[] {
  const done = new Map(results.filter(({ result }) => result === 'done').map((one) => [one.out, one]));
  const wanted = new Map(routes.map((route) => [route.out, route.in]));
  return outputs.map((output): NdiOutput => {
    const result = done.get(output.id);
    const next = wanted.get(output.id);
    if (result === undefined || next === undefined) return output;
    const input = next === null ? undefined : inputs.get(next);
    const source = input?.source ?? null;
    return {
      ...output,
      ...{ in: next, substitute: null, source, applied: result.applied },
      ...{ waiting: source !== null && input?.online === false, previous: output.in },
      'applied-source': result.applied ? source : output['applied-source'],
    };
  });
}
