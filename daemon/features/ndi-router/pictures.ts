/** The thumbnails of sources for preview streams. */
import { ndiPreviewId, ndiPreviewPrefix } from '../../contract/ndi-preview.ts';
import { isGranted } from '../../http/access.ts';
import type { PictureSource } from '../../http/picture-source.ts';
import type { NdiRouterService } from './service.ts';

const nameOf = (key: string): string => Buffer.from(key, 'base64url').toString();
const keyOf = (source: string): string => ndiPreviewId(source).slice(ndiPreviewPrefix.length + 1);

/** A source that is offline has no picture now, but stays in a preview stream: it may come back. */
export function ndiPictures(isOn: boolean, load: () => Promise<NdiRouterService>): PictureSource {
  return {
    prefix: ndiPreviewPrefix,
    canSee: (session, key) => isOn && isGranted(session, 'ndiView') && keyOf(nameOf(key)) === key,
    async newer(keys, after) {
      const { core } = await load();
      return core
        .pictures(keys.map(nameOf), after)
        .map(({ name, number, jpeg }) => ({ key: keyOf(name), number, jpeg }));
    },
  };
}
