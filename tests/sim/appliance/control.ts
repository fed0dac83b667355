/** What a test does to the operating system of `appliance-hub.ts`, which is in the memory of another process. */
import type { ApplianceDouble } from '../../../daemon/appliance/double-for-test.ts';
import type { Feature } from '../../../daemon/http/feature.ts';

const path = '/api/appliance-double';
type Doubles = ApplianceDouble['double'];

/** Lets an administrator of the hub call the doubles. */
export function doubleControl(double: Doubles): Feature {
  return {
    plainRoutes: [
      {
        ...{ path, scope: 'admin', summary: 'Change the operating system in memory.', contentType: 'application/json' },
        async respond(c) {
          const { area = '', act = '', args = '[]' } = c.req.query();
          const target = double[area as keyof Doubles] as unknown as Record<string, (...args: unknown[]) => unknown>;
          await target[act]?.(...(JSON.parse(args) as unknown[]));
          return c.json({ result: 0, isKnown: target[act] !== undefined });
        },
      },
    ],
  };
}

type Acts<Area extends keyof Doubles> = {
  [Act in keyof Doubles[Area]]: Doubles[Area][Act] extends (...args: infer Args) => unknown ? Args : never;
};

/** Returns a function that calls a double in the process of the hub. */
export function controlOf(hub: { api<T>(path: string): Promise<T> }) {
  return async function control<Area extends keyof Doubles, Act extends keyof Doubles[Area] & string>(
    area: Area,
    act: Act,
    ...args: Acts<Area>[Act]
  ): Promise<void> {
    const query = new URLSearchParams({ area, act, args: JSON.stringify(args) });
    const { isKnown } = await hub.api<{ isKnown: boolean }>(`${path}?${query}`);
    if (!isKnown) throw new Error(`the double of ${area} has no ${act}`);
  };
}
