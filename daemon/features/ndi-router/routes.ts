import { ndiPresetApi } from '../../contract/ndi-presets.ts';
import { ndiRouterApi, ndiSalvoApi, ndiSourceApi } from '../../contract/ndi-router.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import { byName, windowOf } from '../../lib/list-page.ts';
import type { Caller, NdiRouterService } from './service.ts';
import { showRuntime } from './view.ts';

interface Asked {
  readonly actor: Actor;
  readonly session: Session | null;
}

const by = ({ actor, session }: Asked): Caller => ({ actor, session: signedIn(session) });

function page<T>(list: readonly T[], { start, count }: { start?: number | undefined; count?: number | undefined }) {
  return { ...windowOf(list, start, count ?? list.length), total: list.length };
}

export function ndiRouterRoutes(load: () => Promise<NdiRouterService>): Route[] {
  return [
    bind(ndiRouterApi.get, async () => (await load()).get()),
    bind(ndiRouterApi.set, async ({ body, ...asked }) => ({ revision: await (await load()).set(by(asked), body) })),
    bind(ndiRouterApi.route, async ({ body, ...asked }) => ({
      results: await (await load()).route(by(asked), body),
    })),
    bind(ndiRouterApi.setInput, async ({ body, ...asked }) => (await load()).setInput(by(asked), body)),
    bind(ndiRouterApi.addOutput, async ({ body, ...asked }) => ({
      id: await (await load()).addOutput(by(asked), body),
    })),
    bind(ndiRouterApi.setOutput, async ({ body, ...asked }) => ({
      revision: await (await load()).setOutput(by(asked), body),
    })),
    bind(ndiRouterApi.delOutput, async ({ body: { id, force }, ...asked }) =>
      (await load()).delOutputs(by(asked), [id].flat(), force),
    ),
    bind(ndiRouterApi.lock, async ({ body: { out, locked, force = false }, actor, session }) => {
      const { id: userId, name: owner } = signedIn(session).user;
      await (await load()).lock(actor, [out].flat(), { lock: { by: 'user', userId, owner }, locked, force });
    }),
    bind(ndiRouterApi.undo, async ({ body: { out }, ...asked }) => ({
      results: await (await load()).undo(by(asked), out === undefined ? undefined : [out].flat()),
    })),
  ];
}

export function ndiSourceRoutes(load: () => Promise<NdiRouterService>): Route[] {
  return [
    bind(ndiSourceApi.list, async ({ query }) => {
      const { core } = await load();
      const sources = core.sources().toSorted((one, other) => byName(one.name, other.name));
      return { ...page(sources, query), runtime: showRuntime(core.runtime()) };
    }),
  ];
}

export function ndiSalvoRoutes(load: () => Promise<NdiRouterService>): Route[] {
  return [
    bind(ndiSalvoApi.list, async ({ query }) => page((await load()).salvos.list(), query)),
    bind(ndiSalvoApi.add, async ({ body, ...asked }) => ({ id: (await load()).salvos.add(by(asked), body) })),
    bind(ndiSalvoApi.set, async ({ body, ...asked }) => ({ revision: (await load()).salvos.set(by(asked), body) })),
    bind(ndiSalvoApi.del, async ({ body, ...asked }) => (await load()).salvos.del(by(asked), [body.id].flat())),
    bind(ndiSalvoApi.recall, async ({ body, ...asked }) => ({
      results: await (await load()).salvos.recall(by(asked), body),
    })),
    bind(ndiSalvoApi.capture, async ({ body, ...asked }) => ({ id: (await load()).salvos.capture(by(asked), body) })),
  ];
}

export function ndiPresetRoutes(load: () => Promise<NdiRouterService>): Route[] {
  return [
    bind(ndiPresetApi.list, async ({ query }) => {
      const presets = (await load()).presets.list();
      return page(
        presets.toSorted((one, other) => byName(one.name, other.name)),
        query,
      );
    }),
    bind(ndiPresetApi.save, async ({ body, ...asked }) => ({ id: (await load()).presets.save(by(asked), body) })),
    bind(ndiPresetApi.del, async ({ body, ...asked }) => (await load()).presets.del(by(asked), [body.id].flat())),
  ];
}
