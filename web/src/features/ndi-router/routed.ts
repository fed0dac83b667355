import type { NdiInput, NdiOutput, NdiRoute, RouteResult } from '../../../../daemon/contract/ndi-router.ts';

/**
 * The outputs after a call that routed some, by the hub's answer: the events with the same contents come a moment later,
 * and without them the old routes would show once more.
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
