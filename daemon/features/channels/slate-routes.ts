/** The slate image, shown when both inputs of a channel are lost. */

import { channelApi } from '../../contract/channels.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { type Actor, bind, type Route } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { type ImageFacts, readImage } from '../../lib/image-file.ts';
import { type Database, transaction } from '../../store/database.ts';
import { revisionOf } from '../../store/revisions.ts';
import { channelRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import type { SlateFiles } from './slate-files.ts';
import { channelEdit, unchangedChannel } from './store.ts';

export interface SlateDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly files: SlateFiles;
  /** Passes the new desired state to the media engine. */
  readonly applyDesired: () => void;
}

export function slateRoutes(deps: SlateDeps): Route[] {
  return [
    bind(channelApi.setSlate, async ({ query, file, actor }) => ({
      revision: await setSlate(deps, actor, query, file),
    })),
    bind(channelApi.delSlate, ({ body, actor }) => ({ revision: replaceSlate(deps, actor, body, null) })),
  ];
}

type SlateOf = QueryOf<typeof channelApi.setSlate>;

/** Returns the new revision. */
async function setSlate(deps: SlateDeps, actor: Actor, of: SlateOf, picture: Uint8Array): Promise<number> {
  const { id } = unchangedChannel(deps.db, of.id, of.revision);
  const { type } = checkedImage(picture);
  const name = await deps.files.save(id, picture, type);
  try {
    return replaceSlate(deps, actor, of, name);
  } catch (error) {
    // The channel was deleted or changed in the meantime.
    if (channelRows.find(deps.db, id)?.slate !== name) deps.files.remove(name);
    throw error;
  }
}

function checkedImage(picture: Uint8Array): ImageFacts {
  const { maxSide } = limits.slatePicture;
  const facts = readImage(picture);
  if (!facts) throw new HubError('fileTypeError', 'the file is not a complete PNG or JPEG image');
  if (Math.max(facts.width, facts.height) > maxSide) {
    throw new HubError('tooLarge', `a picture has at most ${maxSide} x ${maxSide} pixels`, {
      params: { limit: maxSide },
    });
  }
  return facts;
}

/** Without its image, a slate that shows it changes to color bars. */
function replaceSlate(
  { db, audit, files, applyDesired }: SlateDeps,
  actor: Actor,
  { id, revision }: SlateOf,
  name: string | null,
): number {
  const outcome = transaction<{ before: string | null; made: number }>(db, (tx) => {
    const row = unchangedChannel(tx, id, revision);
    if (row.slate === name) return { before: null, made: row.revision };
    const isBars = name === null && row.failover?.slate === 'picture';
    channelRows.update(tx, id, { slate: name, ...(isBars && { failover: { ...row.failover, slate: 'bars' } }) });
    const action = name === null ? 'channel.delSlate' : 'channel.setSlate';
    audit.record(tx, actor, { action, subject: row.name, edited: [channelEdit(id)] });
    return { before: row.slate, made: revisionOf(tx, channelEdit(id)) };
  });
  applyDesired();
  if (outcome.before !== null) files.remove(outcome.before);
  return outcome.made;
}
