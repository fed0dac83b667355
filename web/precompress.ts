/** Writes `.br` and `.gz` beside every text file of a build, so that the hub never compresses while it serves. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressible = new Set(['.js', '.css', '.html', '.svg', '.json']);
/** Below one packet there is nothing to win. */
const smallestBytes = 1200;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

export async function precompress(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(names.filter((name) => compressible.has(extname(name))).map((name) => one(join(folder, name))));
}

async function one(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < smallestBytes) return;
  const [br, gz] = await Promise.all([
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
    deflate(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
}
