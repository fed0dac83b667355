/** What a test does to the NDI network of `ndi-hub.ts`, which is in the memory of another process. */
import type { Feature } from '../../daemon/http/feature.ts';
import type { RouterDouble } from '../../daemon/ndi/router-double-for-test.ts';

const path = '/api/ndi-double';

type Acts = Pick<RouterDouble, 'addSource' | 'removeSource' | 'takeName' | 'setReceivers' | 'setRuntime' | 'revive'>;

/** Lets an administrator of the hub call the double. */
export function ndiNetworkControl(double: RouterDouble): Feature {
  return {
    plainRoutes: [
      {
        ...{ path, scope: 'admin', summary: 'Change the NDI network in memory.', contentType: 'application/json' },
        respond(c) {
          const { act = '', args = '[]' } = c.req.query();
          const target = double as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>;
          target[act]?.(...(JSON.parse(args) as unknown[]));
          return c.json({ result: 0, isKnown: target[act] !== undefined });
        },
      },
    ],
  };
}

/** Returns a function that changes the network by a method of the double. */
export function ndiNetworkOf(hub: { api<T>(path: string): Promise<T> }) {
  return async <Act extends keyof Acts>(act: Act, ...args: Parameters<Acts[Act]>): Promise<void> => {
    const query = new URLSearchParams({ act, args: JSON.stringify(args) });
    const { isKnown } = await hub.api<{ isKnown: boolean }>(`${path}?${query}`);
    if (!isKnown) throw new Error(`the double of NDI has no ${act}`);
  };
}
