import { useLingui } from '@lingui/react/macro';
import type { QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { copyName } from './copy-name.ts';

/** Returns the object with the name that is proposed for its copy. `listKey`: key of the query of all such objects. */
export function useCopy<T extends { readonly name: string }>(original: T | undefined, listKey: QueryKey) {
  const { t } = useLingui();
  const [copy] = useState((): T | undefined => {
    if (original === undefined) return undefined;
    const all = queryClient.getQueryData<readonly { readonly name: string }[]>(listKey) ?? [];
    const taken = all.map(({ name }) => name);
    return { ...original, name: copyName(original.name, taken, t({ message: 'copy', context: 'end of a name' })) };
  });
  return copy;
}
