/** Preview streams: their owners, what each shows of what its owner may see, and how they end. */

import { randomBytes } from 'node:crypto';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { previewApi } from '../../contract/preview.ts';
import { thumbnailPrefix } from '../../contract/preview-stream.ts';
import type { PictureSource } from '../../http/picture-source.ts';
import type { Session } from '../../http/route.ts';
import { createUserPlaces } from '../../http/user-places.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { timing } from '../../timing.ts';
import { createPictures, type Pictures } from './pictures.ts';
import { createViewer, type Viewer, type Wanted } from './viewer.ts';

export interface PreviewDeps {
  /** Of which there are pictures. */
  readonly sources: readonly PictureSource[];
  readonly sessions: {
    current(idHash: string): Session | null;
    onEnd(listener: (idHash: string) => void): () => void;
  };
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export const bounds = { max: 64, keptForEditors: 16, perUser: 16, perSession: 6, retrySeconds: 5 };
const { stallMs, stallCheckMs } = timing.preview;

export type PreviewService = ReturnType<typeof createPreviewService>;

export function createPreviewService(deps: PreviewDeps) {
  const viewers = new Map<string, Viewer>();
  const places = createUserPlaces({ what: 'preview streams', ...bounds });
  const kinds = new Map(deps.sources.map((source) => [source.prefix, { source, pictures: picturesOf(source) }]));
  let timer: Timer | undefined;
  const stopListening = deps.sessions.onEnd((idHash) => endWhere((viewer) => viewer.idHash === idHash));

  function endWhere(isMeant: (viewer: Viewer) => boolean): void {
    for (const viewer of [...viewers.values()]) if (isMeant(viewer)) viewer.end();
  }

  function picturesOf(source: PictureSource): Pictures {
    const all = () => [...viewers.values()].flatMap(({ images }) => [...images.values()]);
    const pictures: Pictures = createPictures({
      ...{ source, sleep: deps.sleep },
      viewed: () => new Set(all().flatMap((wanted) => (wanted.pictures === pictures ? [wanted.key] : []))),
      onPicture(key) {
        for (const viewer of viewers.values()) viewer.changed(pictures, key);
      },
    });
    return pictures;
  }

  /** Returns undefined if there is no such object, or the session may not see it. */
  function visible(session: Session, imageId: string): Wanted | undefined {
    const { prefix = '', key = '' } = partsOf(imageId) ?? {};
    const kind = kinds.get(prefix);
    return kind?.source.canSee(session, key) ? { pictures: kind.pictures, key } : undefined;
  }

  function check(): void {
    for (const viewer of [...viewers.values()]) {
      const session = deps.sessions.current(viewer.idHash);
      if (session === null || viewer.stalledMs() > stallMs) viewer.end();
      else for (const id of [...viewer.images.keys()]) if (!visible(session, id)) viewer.remove(id);
    }
  }

  function viewerOf(session: Session, handle: string): Viewer {
    const viewer = viewers.get(handle);
    if (viewer?.idHash === session.idHash) return viewer;
    throw new HubError('notExist', 'there is no such preview stream', { params: { what: 'preview', id: handle } });
  }

  return {
    open(session: Session) {
      const { idHash } = session;
      const leave = places.enter(session);
      const handle = randomBytes(12).toString('hex');
      const boundary = `signalbox-${randomBytes(6).toString('hex')}`;
      const onEnd = () => {
        viewers.delete(handle);
        leave();
        if (viewers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
      const viewer = createViewer({ idHash, boundary, onEnd, now: deps.now });
      viewers.set(handle, viewer);
      timer ??= setInterval(check, stallCheckMs);
      return { handle, boundary, body: viewer.body };
    },
    setup(session: Session, { id, add = [], del = [] }: BodyOf<typeof previewApi.setup>): void {
      const viewer = viewerOf(session, id);
      add.forEach((imageId, at) => {
        if (partsOf(String(imageId)) === undefined) throw fieldError(`add.${at}`, 'choice', imageIdRule);
      });
      for (const imageId of del) viewer.remove(String(imageId));
      const isTooMany = viewer.images.size + add.length > 2 * limits.channels;
      if (isTooMany) throw fieldError('add', 'tooLong', 'too many pictures');
      for (const imageId of add.map(String)) {
        const wanted = visible(session, imageId);
        if (wanted) viewer.add(imageId, wanted);
      }
      for (const { pictures } of kinds.values()) pictures.wake();
    },
    clear: (session: Session, handle: string): void => viewerOf(session, handle).end(),
    count: (): number => viewers.size,
    /** Ends streams that are not read, and removes pictures that their owner may no longer see; called every 2 s. */
    check,
    close(): void {
      stopListening();
      endWhere(() => true);
      for (const { pictures } of kinds.values()) pictures.close();
    },
  };
}

const imageIdRule = 'an image id is CH- and the number of a channel, or another such id of an object';

/** An id without a prefix is that of a channel. */
function partsOf(imageId: string) {
  const [, prefix = thumbnailPrefix, key] = /^(?:([A-Z]+)-|(?=\d+$))([\w.-]+)$/.exec(imageId) ?? [];
  return key === undefined ? undefined : { prefix, key };
}
