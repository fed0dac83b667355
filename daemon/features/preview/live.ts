/**
 * The live stream of a channel for signed-in users: proxies the engine's HLS, authorized by the session instead of the
 * play key. Same origin, so that a page over HTTPS may load it; the stream does not contain the key.
 */

import type { Context } from 'hono';
import { keepOpenDuring } from '../../http/keep-open.ts';
import type { HubEnv, Session } from '../../http/route.ts';
import { createUserPlaces } from '../../http/user-places.ts';
import { HubError } from '../../lib/hub-error.ts';
import { viewerHeaders } from '../../media/protocol/messages.ts';
import { timing } from '../../timing.ts';

/** Concurrent requests: a player requests the playlist and some parts. */
const bounds = { max: 48, keptForEditors: 12, perUser: 16, perSession: 12, retrySeconds: 1 };
const file = /^(?:(?:index|low)\.m3u8|\d{1,12}(?:\.\d{1,4})?\.ts)$/;
const passedHeaders = ['content-type', 'content-length', 'retry-after'];

/** `socketPath` is the socket on which the engine serves live previews. */
export function createLivePreview({ socketPath }: { readonly socketPath: string }) {
  const places = createUserPlaces({ what: 'requests of live previews', ...bounds });

  async function fetchFrom(c: Context<HubEnv>, session: Session, path: string): Promise<Response> {
    const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(timing.preview.requestMs)]);
    try {
      return await fetch(`http://engine/live/${path}`, {
        unix: socketPath,
        signal,
        headers: { [viewerHeaders.address]: c.env.ip, [viewerHeaders.name]: session.idHash },
      });
    } catch {
      throw new HubError('noResponse', 'the media engine does not respond', { http: 503 });
    }
  }

  return async (c: Context<HubEnv>): Promise<Response> => {
    const { session } = c.var;
    const { id = '', file: name = '' } = c.req.param() as { id?: string; file?: string };
    if (session === null) throw new HubError('notLoggedIn', 'sign in first', { http: 401 });
    if (!/^\d{1,9}$/.test(id) || !file.test(name))
      throw new HubError('notExist', 'there is no such stream', { http: 404 });
    const leave = places.enter(session);
    try {
      const { search } = new URL(c.req.url);
      const answer = await keepOpenDuring(c.env, () => fetchFrom(c, session, `${id}/${name}${search}`));
      const headers = passedHeaders.flatMap((header) => {
        const value = answer.headers.get(header);
        return value === null ? [] : [[header, value] as [string, string]];
      });
      // A segment has at most 12 MiB. Read completely, so that a slow client does not block the engine.
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers });
    } finally {
      leave();
    }
  };
}
