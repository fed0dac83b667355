/** Static routes of the hub's machine, beside those that its addresses and gateways give it. */
import * as z from 'zod/mini';
import { Missing } from './appliance.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { confirmation, ToConfirm } from './network.ts';
import { RouteFields } from './route-fields.ts';
import { listOf, Paging } from './rules.ts';

export const Route = z.object({
  /** Its destination with the length of the prefix, which no other route has: 10.20.0.0/16. */
  id: z.string(),
  destination: z.string(),
  gateway: z.string(),
  interface: z.string(),
  /** Whether the machine uses it now; it does not while the interface has no connection. */
  active: z.boolean(),
});
export type Route = z.infer<typeof Route>;

/** A network interface that a route can use. */
export const RouteInterface = z.object({
  /** `eth1`, `eth2`, or `wifi` while the hub knows its network: routes belong to the network that it has joined. */
  id: z.string(),
  /** Its IPv4 addresses with the length of the prefix; empty while it has no connection. */
  addresses: z.array(z.string()),
});
export type RouteInterface = z.infer<typeof RouteInterface>;

const RouteId = z.string().check(z.minLength(1, 'required'), z.maxLength(18, 'tooLong'));

export const routeApi = endpoints(calls.routes, {
  list: {
    summary: 'List the static routes, and the interfaces that routes can use.',
    needs: 'hardware',
    query: z.object(Paging),
    response: z.object({ ...listOf(Route).shape, interfaces: z.array(RouteInterface), missing: Missing }),
  },
  add: {
    summary:
      'Add a route. If it changes how the hub reaches the caller, the answer has a token, and the route is removed again unless `network/confirm` is called with it. 1003 if there is a route to this destination.',
    needs: 'hardware',
    body: z.object({ ...RouteFields, ...confirmation }),
    response: ToConfirm,
  },
  set: {
    summary: 'Change a route; omitted members stay unchanged. To be confirmed as with `route/add`.',
    needs: 'hardware',
    body: z.object({ id: RouteId, ...z.partial(z.object(RouteFields)).shape, ...confirmation }),
    response: ToConfirm,
  },
  del: {
    summary: 'Delete routes. To be confirmed as with `route/add`.',
    needs: 'hardware',
    body: z.object({
      id: z.union([RouteId, z.array(RouteId).check(z.minLength(1, 'required'), z.maxLength(limits.routes, 'tooLong'))]),
      ...confirmation,
    }),
    response: ToConfirm,
  },
});
