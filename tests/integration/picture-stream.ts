/** The thumbnail stream that the console shows, and the processes that create it. */
import { readdirSync, readFileSync } from 'node:fs';
import { MultipartReader } from '../../web/src/shared/preview/multipart.ts';
import type { HubProcess } from './hub-process.ts';

/** Opens a thumbnail stream and collects thumbnails until `abort`. Channels are added by its handle. */
export async function openPictures(hub: Pick<HubProcess, 'url' | 'headers'>) {
  const abort = new AbortController();
  const answer = await fetch(`${hub.url}/api/preview/open?v=1`, { headers: hub.headers(), signal: abort.signal });
  const handle = answer.headers.get('handle-id') ?? '';
  const type = answer.headers.get('content-type') ?? '';
  const pictures: { readonly imageId: string; readonly at: number; readonly bytes: Uint8Array }[] = [];
  let isOver = false;
  const read = async () => {
    const boundary = /boundary=([^;]+)/.exec(type)?.[1] ?? '';
    const parts = new MultipartReader(boundary, ({ imageId, bytes }) => {
      pictures.push({ imageId, at: performance.now(), bytes });
    });
    for await (const bytes of answer.body ?? []) parts.feed(bytes);
  };
  const over = () => {
    isOver = true;
  };
  read().then(over, over);
  return { answer, handle, type, pictures, abort, isOver: () => isOver };
}

/** Ids of the FFmpeg processes that make thumbnails for this hub's engine. */
export async function pictureMakers(hub: HubProcess): Promise<number[]> {
  const engine = await hub.enginePid();
  const isMaker = (pid: string) => {
    try {
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      return parent === engine && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('mpjpeg');
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isMaker(name))
    .map(Number);
}
