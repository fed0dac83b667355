import { queryOptions, useQuery } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { ndiRouterApi, ndiSalvoApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useHas, useMay } from '../../api/session.ts';
import { ndiOutputPath, paths } from '../../lib/paths.ts';
import type { Command } from './commands.ts';

const namesQuery = queryOptions({
  queryKey: ['ndi', 'names'],
  queryFn: async ({ signal }) => {
    const [{ outputs }, salvos] = await Promise.all([
      call(ndiRouterApi.get, { signal }),
      call(ndiSalvoApi.list, { query: { count: limits.page.max }, signal }),
    ]);
    return { outputs, salvos: salvos.list };
  },
});

/** Outputs and salvos of the NDI router. */
export function useNdiCommands(): Command[] {
  const isWanted = [useHas('ndiRouter'), useMay('ndiView')].every(Boolean);
  const names = useQuery({ ...namesQuery, enabled: isWanted }).data;
  if (!isWanted || names === undefined) return [];
  return [
    ...names.outputs.map(
      ({ id, name, label }): Command => ({ group: 'ndi', text: label || name, words: name, path: ndiOutputPath(id) }),
    ),
    ...names.salvos.map(({ name }): Command => ({ group: 'ndi', text: name, path: `${paths.ndiRouter}?tab=salvos` })),
  ];
}
