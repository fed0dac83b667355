/** The form of a route: its fields and their checks. */
import { RouteFields, readDestination } from '../../../../daemon/contract/route-fields.ts';
import type { Route } from '../../../../daemon/contract/routes.ts';
import { type FieldFaults, faultAt } from '../../ui/form/schema-form.ts';

export interface RouteValues {
  readonly destination: string;
  readonly gateway: string;
  readonly interface: string;
}

/** `place`: the interface that is chosen for a new route. */
export function routeValues(route: Route | undefined, place: string): RouteValues {
  return {
    destination: route?.destination ?? '',
    gateway: route?.gateway ?? '',
    interface: route?.interface ?? place,
  };
}

export function routeBody({ destination, gateway, interface: place }: RouteValues): RouteValues {
  return { destination: destination.trim(), gateway: gateway.trim(), interface: place };
}

/** `others`: the routes that exist beside this one. */
export function checkRoute(values: RouteValues, others: readonly Route[]): FieldFaults {
  const { destination, gateway, interface: place } = routeBody(values);
  const isTaken = others.some(
    (route) => route.destination === destination || route.destination === `${destination}/32`,
  );
  return {
    ...(isTaken && { destination: 'routeExists' }),
    ...faultAt('destination', RouteFields.destination, destination),
    ...faultAt('gateway', RouteFields.gateway, gateway),
    ...faultAt('interface', RouteFields.interface, place),
  };
}

/** A route in a table, whose rows have numbers and names. */
export type RouteRow = Omit<Route, 'id'> & { readonly id: number; readonly name: string };

export function rowOf(route: Route): RouteRow {
  const { first = 0, prefix = 0 } = readDestination(route.destination) ?? {};
  return { ...route, id: first * 64 + prefix, name: route.destination };
}
