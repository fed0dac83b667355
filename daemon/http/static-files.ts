/**
 * The built console from a folder. The folder is read once: only files found then can be opened, whatever the path. A
 * new build is detected by its index.html.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Context } from 'hono';
import type { HubEnv } from './route.ts';

interface Snapshot {
  readonly indexTime: number;
  readonly files: ReadonlySet<string>;
  readonly buildId: string;
}

const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Vite puts a hash of the content into these names. */
const hashedName = /^assets\/.+-[\w-]{8,}\.\w+$/;

const missingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signalbox</title>
<body><h1>The console was not built</h1><p>The hub runs, its API answers. Run <code>make build</code>, then reload this page.</p></body></html>
`;

export function createStaticFiles(root: string) {
  let snapshot = take(root);
  const fresh = (): Snapshot => {
    if (indexTimeOf(root) !== snapshot.indexTime) snapshot = take(root);
    return snapshot;
  };
  return {
    /** Changes with every build. */
    buildId: (): string => snapshot.buildId,
    async respond(c: Context<HubEnv>): Promise<Response> {
      const name = nameOf(c.req.path);
      const { files } = name === 'index.html' ? fresh() : snapshot;
      if (name !== null && files.has(name)) return send(root, name, files, c.req.header('accept-encoding') ?? '');
      if (name !== 'index.html') return c.text('there is no such page', 404);
      return c.html(missingPage, 503, { 'cache-control': 'no-cache' });
    },
  };
}

/** Returns the name below the folder, or null for an invalid path. */
function nameOf(path: string): string | null {
  try {
    const name = decodeURIComponent(path).slice(1);
    return name === '' ? 'index.html' : name;
  } catch {
    return null;
  }
}

function send(root: string, name: string, files: ReadonlySet<string>, accepted: string): Response {
  const headers = new Headers({
    'content-type': Bun.file(name).type,
    'cache-control': hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  });
  const [encoding, suffix] = encodings.find((pair) => files.has(name + pair[1]) && accepts(accepted, pair[0])) ?? [];
  if (encoding !== undefined) headers.set('content-encoding', encoding);
  return new Response(Bun.file(join(root, name + (suffix ?? ''))), { headers });
}

export function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, quality = 'q=1'] = part.split(';').map((word) => word.trim());
    return name === encoding && Number(quality.replace('q=', '')) > 0;
  });
}

function take(root: string): Snapshot {
  const indexTime = indexTimeOf(root);
  if (indexTime === 0) return { indexTime, files: new Set(), buildId: 'none' };
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    // Files that the build keeps for tools, such as Vite's manifest.
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')));
  const digest = new Bun.CryptoHasher('sha256').update(readFileSync(join(root, 'index.html'))).digest('hex');
  return { indexTime, files: new Set(files), buildId: digest.slice(0, 16) };
}

function indexTimeOf(root: string): number {
  return statSync(join(root, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
