/** Loads the NDI library and routes sources; the hub controls it. */
import { libraryRole } from './library-role.ts';

export const role = libraryRole('ndi-router', 'The hub starts it by itself and controls it.', async () => {
  const { routeSources } = await import('../ndi/child/router-child.ts');
  return routeSources;
});
