import { ndiPresetApi } from '../../contract/ndi-presets.ts';
import { type NdiRouter, ndiRouterApi, ndiSalvoApi, ndiSourceApi } from '../../contract/ndi-router.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import { byName, windowOf } from '../../lib/list-page.ts';
import type { NdiRouterService } from './service.ts';
import { showRuntime } from './view.ts';

function page<T>(list: readonly T[], { start, count }: { start?: number | undefined; count?: number | undefined }) {
  return { ...windowOf(list, start, count ?? list.length), total: list.length };
}

/** `showRouter` returns the router, once it is loaded. */
export function ndiRouterRoutes(
  load: () => Promise<NdiRouterService>,
  showRouter: () => readonly NdiRouter[],
): Route[] {
  return [
    bind(ndiRouterApi.get, async () => {
      const all = (await load()).get();
      return { ...all, router: showRouter()[0] ?? all.router };
    }),
    bind(ndiRouterApi.set, async ({ body, actor }) => ({ revision: await (await load()).set({ actor }, body) })),
    bind(ndiRouterApi.route, async ({ body, actor }) => ({
      results: await (await load()).route({ actor }, body),
    })),
    bind(ndiRouterApi.setInput, async ({ body, actor }) => (await load()).setInput({ actor }, body)),
    bind(ndiRouterApi.addOutput, async ({ body, actor }) => ({
      id: await (await load()).addOutput({ actor }, body),
    })),
    bind(ndiRouterApi.setOutput, async ({ body, actor }) => ({
      revision: await (await load()).setOutput({ actor }, body),
    })),
    bind(ndiRouterApi.delOutput, async ({ body: { id, force }, actor }) =>
      (await load()).delOutputs({ actor }, [id].flat(), force),
    ),
    bind(ndiRouterApi.lock, async ({ body: { out, locked, force = false }, actor, session }) => {
      const { id: userId, name: owner } = signedIn(session).user;
      await (await load()).lock(actor, [out].flat(), { lock: { by: 'user', userId, owner }, locked, force });
    }),
    bind(ndiRouterApi.undo, async ({ body: { out }, actor }) => ({
      results: await (await load()).undo({ actor }, out === undefined ? undefined : [out].flat()),
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
    bind(ndiSalvoApi.add, async ({ body, actor }) => ({ id: (await load()).salvos.add({ actor }, body) })),
    bind(ndiSalvoApi.set, async ({ body, actor }) => ({ revision: (await load()).salvos.set({ actor }, body) })),
    bind(ndiSalvoApi.del, async ({ body, actor }) => (await load()).salvos.del({ actor }, [body.id].flat())),
    bind(ndiSalvoApi.recall, async ({ body, actor }) => ({
      results: await (await load()).salvos.recall({ actor }, body),
    })),
    bind(ndiSalvoApi.capture, async ({ body, actor }) => ({ id: (await load()).salvos.capture({ actor }, body) })),
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
    bind(ndiPresetApi.save, async ({ body, actor }) => ({ id: (await load()).presets.save({ actor }, body) })),
    bind(ndiPresetApi.del, async ({ body, actor }) => (await load()).presets.del({ actor }, [body.id].flat())),
  ];
}
