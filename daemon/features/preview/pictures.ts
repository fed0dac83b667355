/** The newest image of each viewed channel, fetched from the engine while there are viewers. */

import type { MediaPort } from '../../media/port.ts';
import { timing } from '../../timing.ts';

export interface Picture {
  readonly jpeg: Uint8Array;
  /** Changes with every new image. */
  readonly number: number;
}

interface PicturesOptions {
  readonly media: Pick<MediaPort, 'request'>;
  /** Channels that are currently viewed. */
  readonly looked: () => ReadonlySet<number>;
  readonly onPicture: (channelId: number) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

const askEveryMs = 400;

export type Pictures = ReturnType<typeof createPictures>;

export function createPictures({ media, looked, onPicture, sleep }: PicturesOptions) {
  const pictures = new Map<number, Picture>();
  let after = 0;
  let isRunning = false;
  let isClosed = false;

  async function ask(channels: ReadonlySet<number>): Promise<void> {
    const reply = await media.request(
      { what: 'pictures', channels: [...channels], after },
      timing.engineCall.pictureMs,
    );
    if (reply.what !== 'pictures') return;
    for (const { channelId, number, jpeg } of reply.list) {
      after = Math.max(after, number);
      pictures.set(channelId, { jpeg: Buffer.from(jpeg, 'base64'), number });
      onPicture(channelId);
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      const channels = looked();
      for (const id of pictures.keys()) if (!channels.has(id)) pictures.delete(id);
      if (channels.size === 0 || isClosed) break;
      // A failed request is repeated until the engine runs again.
      await ask(channels).catch(() => undefined);
      await sleep(askEveryMs);
    }
    isRunning = false;
  }

  return {
    newest: (channelId: number): Picture | undefined => pictures.get(channelId),
    /** The set of viewed channels may have changed. */
    wake(): void {
      if (isRunning || isClosed) return;
      isRunning = true;
      // A new viewer of a channel gets its last image.
      after = 0;
      void run();
    },
    close(): void {
      isClosed = true;
    },
  };
}
