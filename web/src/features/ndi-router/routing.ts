/** Routes outputs. The page shows requests as such until the hub answers, and changes routes only by the answer. */
import { i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { create } from 'zustand';
import type { NdiInput, NdiOutput, NdiRoute, RouteResult } from '../../../../daemon/contract/ndi-router.ts';
import { ndiRouterApi, ndiSalvoApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { reasonText } from './reason-text.ts';
import { withRouted } from './routed.ts';
import { inputsQuery, outputsQuery } from './router-query.ts';
import { inputText, outputText } from './router-text.ts';

type Slots = ReadonlyMap<number, number | null>;

interface Routing {
  /** Requested inputs that the hub has not confirmed yet, by output. */
  readonly asked: Slots;
  /** The outputs that this page routed last and can undo. */
  readonly last: readonly number[];
  /** The screen reader text about the last answer. */
  readonly news: string;
}

export const useRouting = create<Routing>(() => ({ asked: new Map(), last: [], news: '' }));

/** Further failures are only counted. */
const namedFailures = 3;

const known = <T extends { readonly id: number }>(list: readonly T[] | undefined) =>
  new Map((list ?? []).map((one) => [one.id, one]));
const inputs = () => known<NdiInput>(queryClient.getQueryData(inputsQuery.queryKey));
const outputs = () => known<NdiOutput>(queryClient.getQueryData(outputsQuery.queryKey));

/** Announces a text to screen readers. */
export const tell = (news: string) => useRouting.setState({ news });

const nameOf = (out: number) => {
  const output = outputs().get(out);
  return output === undefined ? String(out) : outputText(output);
};

function sourceName(id: number | null): string {
  const input = id === null ? undefined : inputs().get(id);
  return input === undefined ? i18n._(msg`None`) : inputText(input);
}

/** Resolves with the outputs that were routed; shows why the others were not. */
export async function routeOutputs(routes: readonly NdiRoute[]): Promise<readonly number[]> {
  const [first] = routes;
  if (first === undefined) return [];
  ask(routes);
  try {
    const { results } = await call(ndiRouterApi.route, { body: { routes: [...routes] } });
    take(routes, results);
    report(results, routes.length === 1 ? nowText(first) : undefined);
    return doneOf(results);
  } catch (error) {
    const names = routes.length === 1 ? nameOf(first.out) : i18n._(msg`${routes.length} outputs`);
    showToast('error', i18n._(msg`${names} not switched: ${faultText(i18n, error)}`), 'ndi-route');
    return [];
  } finally {
    forget(routes);
  }
}

function nowText({ out, in: id }: NdiRoute): string {
  const [name, source] = [nameOf(out), sourceName(id)];
  return i18n._(msg`${name} now ${source}`);
}

export async function undoRoutes(outs: readonly number[]): Promise<void> {
  const before = outputs();
  const routes = outs.flatMap((out): NdiRoute[] => {
    const previous = before.get(out)?.previous;
    return previous === undefined ? [] : [{ out, in: previous }];
  });
  ask(routes);
  try {
    const { results } = await call(ndiRouterApi.undo, { body: { out: [...outs] } });
    take(routes, results);
    useRouting.setState({ last: [] });
    const [first] = routes;
    report(results, routes.length === 1 && first ? nowText(first) : undefined);
  } catch (error) {
    showToast('error', i18n._(msg`Not undone: ${faultText(i18n, error)}`), 'ndi-route');
  } finally {
    forget(routes);
  }
}

/** Rejects if the hub could not recall the salvo at all. */
export async function recallSalvo(id: number, routes: readonly NdiRoute[]): Promise<void> {
  ask(routes);
  try {
    const { results } = await call(ndiSalvoApi.recall, { body: { id } });
    take(routes, results);
    report(results);
  } finally {
    forget(routes);
  }
}

function ask(routes: readonly NdiRoute[]): void {
  useRouting.setState(({ asked }) => ({
    asked: new Map([...asked, ...routes.map((one) => [one.out, one.in] as const)]),
  }));
}

/** Forgets answered requests. A newer request for the same output stays. */
function forget(routes: readonly NdiRoute[]): void {
  useRouting.setState(({ asked }) => {
    const left = new Map(asked);
    for (const { out, in: slot } of routes) if (left.get(out) === slot) left.delete(out);
    return { asked: left };
  });
}

function take(routes: readonly NdiRoute[], results: readonly RouteResult[]): void {
  queryClient.setQueryData<NdiOutput[]>(
    outputsQuery.queryKey,
    (before) => before && withRouted(before, inputs(), routes, results),
  );
  useRouting.setState({ last: doneOf(results) });
}

const doneOf = (results: readonly RouteResult[]) =>
  results.filter(({ result }) => result === 'done').map(({ out }) => out);

/** Reports a result: announces routed outputs to screen readers, and shows failures in a toast. */
function report(results: readonly RouteResult[], news?: string): void {
  const failed = results.filter(({ result }) => result !== 'done');
  const done = results.length - failed.length;
  if (failed.length === 0) {
    tell(news ?? i18n._(msg`${done} outputs switched`));
    return;
  }
  const reasons = failed.slice(0, namedFailures).map((one) => {
    const [name, why] = [nameOf(one.out), reasonText(i18n, one)];
    return i18n._(msg`${name}: ${why}`);
  });
  const more = failed.length - reasons.length;
  if (more > 0) reasons.push(i18n._(msg`and ${more} more`));
  const lead = results.length > 1 ? `${i18n._(msg`${done} of ${results.length} outputs switched.`)} ` : '';
  showToast('error', `${lead}${reasons.join(' ')}`, 'ndi-route');
}
