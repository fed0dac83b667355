/**
 * Compares the size of the built console with its budget: `bun tests/budget/budget.ts` after `bun run build:web`.
 * Prints a table and fails if a line exceeds its budget. Sizes are KiB with gzip (dist: brotli). Files are counted, too,
 * because a browser fetches them six at a time over HTTP/1.1.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface ManifestChunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly isEntry?: boolean;
}

const dist = join(import.meta.dir, '../../web/dist');
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, ManifestChunk>;
const source = 'src/';

function chunkOf(name: string): ManifestChunk {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the build has no chunk ${name}; was a page renamed?`);
  return chunk;
}

/** Files that the browser must load before a chunk runs. */
function filesOf(names: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = chunkOf(name);
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const name of names) visit(name);
  return files;
}

const sizes = new Map<string, number>();
function kib(files: Iterable<string>, ending = ''): number {
  let sum = 0;
  for (const file of files) {
    if (!file.endsWith(ending)) continue;
    const known = sizes.get(file) ?? gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
    sizes.set(file, known);
    sum += known;
  }
  return sum / 1024;
}

function without(files: Set<string>, base: Set<string>): Set<string> {
  return files.difference(base);
}

function distBrotli(): number {
  const names = (readdirSync(dist, { recursive: true }) as string[]).filter((name) =>
    /\.(js|css|html|svg)$/.test(name),
  );
  return names.reduce((sum, name) => sum + sizeOf(`${name}.br`, name), 0) / 1024;
}

function sizeOf(compressed: string, plain: string): number {
  return statSync(join(dist, compressed), { throwIfNoEntry: false })?.size ?? statSync(join(dist, plain)).size;
}

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true);
if (entry === undefined) throw new Error('the build has no entry');
const page = (name: string) => `${source}features/${name}.tsx`;
const texts = (locale: string, part: string) => `${source}i18n/locales/${locale}/${part}.po`;
const frame = `${source}shell/inside.ts`;

const signIn = filesOf([entry, texts('en', 'entry'), page('auth/SignInPage')]);
const inside = [entry, texts('en', 'entry'), texts('en', 'inside'), frame];
const shell = filesOf(inside);
const dashboard = filesOf([...inside, page('dashboard/DashboardPage')]);
/** Every page except the dashboard. */
const withTexts = [...inside, texts('en', 'pages')];
/** What the first list page loads for all lists: tables, dialogs, fields, texts. */
const shared = filesOf([...withTexts, page('dashboard/DashboardPage'), page('channels/ChannelListPage')]);

const routes = Object.keys(manifest).filter((name) => /^src\/features\/.*Page\.tsx$/.test(name));
const pages = routes.filter((name) => !name.includes('/auth/'));
const largest = (base: Set<string>) =>
  Math.max(...pages.map((name) => kib(without(filesOf([...withTexts, name]), base), '.js')));

const catalog = (locale: string) => kib(['entry', 'inside', 'pages'].map((part) => chunkOf(texts(locale, part)).file));

const lines: readonly [string, number, number][] = [
  ['sign-in first load, JS + CSS', kib(signIn), 95],
  ['dashboard first load, JS', kib(dashboard, '.js'), 109],
  ['dashboard first load, CSS', kib(dashboard, '.css'), 24],
  ['dashboard first load, sum', kib(dashboard), 130],
  ['any route, extra JS on first visit', largest(shell), 72],
  ['any route after the shared set', largest(shared), 30],
  ['files of the sign-in page', signIn.size, 12],
  ['files of the dashboard', dashboard.size, 14],
  ['files of the channel list', filesOf([...withTexts, page('channels/ChannelListPage')]).size, 18],
  ['one locale catalog', Math.max(...['en', 'zh'].map(catalog)), 35],
  ['whole dist, brotli', distBrotli(), 831],
];

console.log(`${'item'.padEnd(38)}${'found'.padStart(8)}${'budget'.padStart(8)}${'left'.padStart(8)}`);
for (const [item, size, budget] of lines) {
  const mark = size > budget ? '  OVER' : '';
  console.log(
    `${item.padEnd(38)}${size.toFixed(1).padStart(8)}${String(budget).padStart(8)}${(budget - size).toFixed(1).padStart(8)}${mark}`,
  );
}
if (lines.some(([, size, budget]) => size > budget)) process.exit(1);
