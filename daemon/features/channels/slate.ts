/** The picture that stands in when both inputs of a channel are gone. */

import { channelApi } from '../../contract/channels.ts';
import { limits } from '../../contract/limits.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { type Actor, bind, type Route } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { type ImageFacts, readImage } from '../../lib/image-file.ts';
import { type Database, transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import { existingChannel } from './existing-channel.ts';
import type { SlateFiles } from './slate-files.ts';
import { findChannels, updateChannel } from './store.ts';

export interface SlateDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly files: SlateFiles;
  /** The media engine gets the new wanted state. */
  readonly applyWanted: () => void;
}

export function slateRoutes(deps: SlateDeps): Route[] {
  return [
    bind(channelApi.setSlate, async ({ query, file, actor }) => {
      await setSlate(deps, actor, query.id, file);
      return {};
    }),
    bind(channelApi.delSlate, ({ body, actor }) => {
      replaceSlate(deps, actor, body.id, null);
      return {};
    }),
  ];
}

async function setSlate(deps: SlateDeps, actor: Actor, id: number, picture: Uint8Array): Promise<void> {
  existingChannel(deps.db, id);
  const { type } = checkedImage(picture);
  const name = await deps.files.save(id, picture, type);
  try {
    replaceSlate(deps, actor, id, name);
  } catch (error) {
    // The channel went in between.
    if (findChannels(deps.db, [id])[0]?.slate !== name) deps.files.remove(name);
    throw error;
  }
}

function checkedImage(picture: Uint8Array): ImageFacts {
  const { maxSide } = limits.slatePicture;
  const facts = readImage(picture);
  if (!facts) throw new HubError('fileTypeError', 'this is no whole PNG or JPEG');
  if (Math.max(facts.width, facts.height) > maxSide) {
    throw new HubError('tooLarge', `a picture has at most ${maxSide} x ${maxSide} pixels`, {
      params: { limit: maxSide },
    });
  }
  return facts;
}

/** Without its picture a slate that shows it becomes colour bars. */
function replaceSlate(
  { db, audit, files, applyWanted }: SlateDeps,
  actor: Actor,
  id: number,
  name: string | null,
): void {
  const before = transaction<string | null>(db, (tx) => {
    const row = existingChannel(tx, id);
    if (row.slate === name) return null;
    const isBars = name === null && row.failover?.slate === 'picture';
    updateChannel(tx, id, { slate: name, ...(isBars && { failover: { ...row.failover, slate: 'bars' } }) });
    const action = name === null ? 'channel.delSlate' : 'channel.setSlate';
    audit.record(tx, actor, { action, subject: row.name, changes: [], result: 'success' });
    return row.slate;
  });
  applyWanted();
  if (before !== null) files.remove(before);
}

/** For everybody who may see the channel. */
export function slatePictureRoute({ db, files }: Pick<SlateDeps, 'db' | 'files'>): PlainRoute {
  return {
    path: '/api/channel/slate/get',
    scope: 'channelView',
    isOpenToLocalhost: false,
    isOpenBeforeSetup: false,
    summary: "The picture of a channel's slate.",
    contentType: 'image/png, image/jpeg',
    query: { id: 'Id of the channel.', v: 'Version of the picture, for caches.' },
    async respond(c) {
      const name = findChannels(db, [Number(c.req.query('id'))])[0]?.slate;
      const file = name && Bun.file(files.path(name));
      if (!name || !file || !(await file.exists()))
        throw new HubError('notExist', 'there is no picture', { http: 404 });
      return c.body(await file.bytes(), 200, { 'content-type': name.endsWith('.png') ? 'image/png' : 'image/jpeg' });
    },
  };
}
