import { stat } from 'node:fs/promises';
import type { Context } from 'hono';
import { HubError } from '../lib/hub-error.ts';
import type { HubEnv } from './route.ts';

interface SentFile {
  readonly path: string;
  /** What the client saves it as. */
  readonly name: string;
  /** Default: any bytes. */
  readonly type?: string;
}

/** A client that takes nothing for this long is disconnected; Bun's default would cut off clients on slow lines. */
const idleSeconds = 240;

/**
 * Answers a plain route with a file, or with the `Range` of it that the client lacks (206, 416). Bun applies `Range` and
 * `If-Range`, and hands the file to the kernel, so that none of it is in memory.
 */
export async function sendFile(c: Context<HubEnv>, { path, name, type }: SentFile): Promise<Response> {
  const { size, mtimeNs } = await statusOf(path);
  const etag = `"${size.toString(36)}-${mtimeNs.toString(36)}"`;
  const headers = new Headers({
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': attachment(name),
    etag,
  });
  if (c.req.raw.method === 'HEAD') {
    headers.set('accept-ranges', 'bytes');
    headers.set('content-length', String(size));
    return new Response(null, { headers });
  }
  // Bun sends this header with a part.
  if (c.req.header('range') === undefined) headers.set('accept-ranges', 'bytes');
  c.env.keepOpen(idleSeconds);
  return new Response(Bun.file(path), { headers });
}

async function statusOf(path: string) {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new HubError('notExist', 'this file does not exist', { http: 404 });
  }
}

/** RFC 6266: a name in ASCII, and the exact one for clients that know `filename*`. Neither can leave the folder. */
export function attachment(name: string): string {
  const file = name.replaceAll(/[\p{Cc}/\\]/gu, '_');
  const ascii = file.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const exact = encodeURIComponent(file.toWellFormed()).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
