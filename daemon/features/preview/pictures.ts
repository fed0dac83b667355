/** The newest picture of each viewed object of a source, requested while there are viewers. */

import type { PictureSource } from '../../http/picture-source.ts';

export interface Picture {
  readonly jpeg: Uint8Array;
  /** Changes with every new image. */
  readonly number: number;
}

interface PicturesOptions {
  readonly source: PictureSource;
  /** Keys of the objects that are currently viewed. */
  readonly viewed: () => ReadonlySet<string>;
  readonly onPicture: (key: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

const askEveryMs = 400;

export type Pictures = ReturnType<typeof createPictures>;

export function createPictures({ source, viewed, onPicture, sleep }: PicturesOptions) {
  const pictures = new Map<string, Picture>();
  let after = 0;
  let isRunning = false;
  let isClosed = false;

  async function ask(keys: ReadonlySet<string>): Promise<void> {
    for (const { key, number, jpeg } of await source.newer([...keys], after)) {
      after = Math.max(after, number);
      pictures.set(key, { jpeg, number });
      onPicture(key);
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      const keys = viewed();
      for (const key of pictures.keys()) if (!keys.has(key)) pictures.delete(key);
      if (keys.size === 0 || isClosed) break;
      // A failed request is repeated until the source answers again.
      await ask(keys).catch(() => undefined);
      await sleep(askEveryMs);
    }
    isRunning = false;
  }

  return {
    newest: (key: string): Picture | undefined => pictures.get(key),
    /** The set of viewed objects may have changed. */
    wake(): void {
      if (isRunning || isClosed) return;
      isRunning = true;
      // A new viewer of an object gets its last image.
      after = 0;
      void run();
    },
    close(): void {
      isClosed = true;
    },
  };
}
