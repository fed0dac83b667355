/** The newest picture of each channel that somebody looks at, fetched from the engine while somebody does. */

import type { MediaPort } from '../../media/port.ts';
import { timing } from '../../timing.ts';

export interface Picture {
  readonly jpeg: Uint8Array;
  /** Another number, another picture. */
  readonly number: number;
}

export interface Pictures {
  newest(channelId: number): Picture | undefined;
  /** What is looked at may have changed. */
  wake(): void;
  close(): void;
}

interface PicturesOptions {
  readonly media: Pick<MediaPort, 'request'>;
  /** Channels that somebody looks at now. */
  readonly looked: () => ReadonlySet<number>;
  readonly onPicture: (channelId: number) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

const askEveryMs = 400;

export function createPictures({ media, looked, onPicture, sleep }: PicturesOptions): Pictures {
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
      // An engine that is down or starts anew is asked again.
      await ask(channels).catch(() => undefined);
      await sleep(askEveryMs);
    }
    isRunning = false;
  }

  return {
    newest: (channelId) => pictures.get(channelId),
    wake() {
      if (isRunning || isClosed) return;
      isRunning = true;
      // Whoever comes back to a channel shall see what it had last.
      after = 0;
      void run();
    },
    close() {
      isClosed = true;
    },
  };
}
