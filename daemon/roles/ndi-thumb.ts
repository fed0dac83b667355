/** Loads the NDI library and makes thumbnails of sources; the hub controls it. */
import { libraryRole } from './library-role.ts';

export const role = libraryRole('ndi-thumb', 'The hub starts it by itself and controls it.', async () => {
  const { makeThumbnails } = await import('../ndi/child/thumb-child.ts');
  return makeThumbnails;
});
