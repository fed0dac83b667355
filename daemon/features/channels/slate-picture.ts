import type { PlainRoute } from '../../http/plain-route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { channelRows } from '../../store/rows.ts';
import type { SlateDeps } from './slate-routes.ts';

/** For every user who may view the channel. */
export function slatePictureRoute({ db, files }: Pick<SlateDeps, 'db' | 'files'>): PlainRoute {
  return {
    path: '/api/channel/slate/get',
    scope: 'channelView',
    summary: "The picture of a channel's slate.",
    contentType: 'image/png, image/jpeg',
    query: { id: 'Id of the channel.', v: 'Version of the picture, for caches.' },
    async respond(c) {
      const name = channelRows.find(db, Number(c.req.query('id')))?.slate;
      const file = name && Bun.file(files.path(name));
      if (!name || !file || !(await file.exists()))
        throw new HubError('notExist', 'there is no picture', { http: 404 });
      return c.body(await file.bytes(), 200, { 'content-type': name.endsWith('.png') ? 'image/png' : 'image/jpeg' });
    },
  };
}
