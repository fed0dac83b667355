/** Preview streams: their owners, their contents, and how they end. */

import { randomBytes } from 'node:crypto';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { previewApi } from '../../contract/preview.ts';
import type { Session } from '../../http/route.ts';
import { createUserPlaces } from '../../http/user-places.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { MediaPort } from '../../media/port.ts';
import { timing } from '../../timing.ts';
import { createPictures } from './pictures.ts';
import { createViewer, type Viewer } from './viewer.ts';

export interface PreviewDeps {
  readonly media: Pick<MediaPort, 'request'>;
  readonly sessions: {
    current(idHash: string): Session | null;
    onEnd(listener: (idHash: string) => void): () => void;
  };
  /** Whether this session may (still) view images. */
  readonly mayLook: (session: Session | null) => boolean;
  readonly channelExists: (id: number) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export const bounds = { max: 64, keptForEditors: 16, perUser: 16, perSession: 6, retrySeconds: 5 };
const { stallMs, stallCheckMs } = timing.preview;

export type PreviewService = ReturnType<typeof createPreviewService>;

export function createPreviewService(deps: PreviewDeps) {
  const viewers = new Map<string, Viewer>();
  const places = createUserPlaces({ what: 'preview streams', ...bounds });
  const looked = () => new Set([...viewers.values()].flatMap(({ channels }) => [...channels]));
  const pictures = createPictures({
    media: deps.media,
    looked,
    sleep: deps.sleep,
    onPicture(channelId) {
      for (const viewer of viewers.values()) viewer.changed(channelId);
    },
  });
  let timer: Timer | undefined;
  const stopListening = deps.sessions.onEnd((idHash) => endWhere((viewer) => viewer.idHash === idHash));

  function endWhere(isMeant: (viewer: Viewer) => boolean): void {
    for (const viewer of [...viewers.values()]) if (isMeant(viewer)) viewer.end();
  }

  function check(): void {
    endWhere(({ idHash, stalledMs }) => stalledMs() > stallMs || !deps.mayLook(deps.sessions.current(idHash)));
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
      const viewer = createViewer({ idHash, boundary, newest: pictures.newest, onEnd, now: deps.now });
      viewers.set(handle, viewer);
      timer ??= setInterval(check, stallCheckMs);
      return { handle, boundary, body: viewer.body };
    },
    setup(session: Session, { id, add = [], del = [] }: BodyOf<typeof previewApi.setup>): void {
      const viewer = viewerOf(session, id);
      const desired = add.map((imageId, at) => [String(imageId), channelOf(imageId, at)] as const);
      for (const imageId of del) viewer.remove(String(imageId));
      if (viewer.images + desired.length > 2 * limits.channels) throw fieldError('add', 'tooLong', 'too many pictures');
      // A channel that was just deleted has no image, and is not the caller's fault.
      for (const [imageId, channel] of desired) if (deps.channelExists(channel)) viewer.add(imageId, channel);
      pictures.wake();
    },
    clear: (session: Session, handle: string): void => viewerOf(session, handle).end(),
    count: (): number => viewers.size,
    /** Ends streams that are not read, or whose owner lost the permission; called every 2 s. */
    check,
    close(): void {
      stopListening();
      endWhere(() => true);
      pictures.close();
    },
  };
}

function channelOf(imageId: string | number, at: number): number {
  const digits = /^(?:CH-)?(\d{1,9})$/.exec(String(imageId))?.[1];
  if (digits === undefined) throw fieldError(`add.${at}`, 'choice', 'an image id is CH- and the number of a channel');
  return Number(digits);
}
