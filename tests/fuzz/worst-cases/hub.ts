/** Input of the hub itself: bodies, headers, addresses, pictures, search texts, JSON lines from its processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { cookieNames } from '../../../daemon/contract/auth.ts';
import { limits } from '../../../daemon/contract/limits.ts';
import { LogKey } from '../../../daemon/contract/logs.ts';
import { isHost } from '../../../daemon/contract/rules.ts';
import { HttpSource, RtmpTarget, RtspSource } from '../../../daemon/contract/stream-fields.ts';
import { readRequest } from '../../../daemon/engine/hls/request.ts';
import { maxBodyBytes } from '../../../daemon/http/body.ts';
import type { HubEnv } from '../../../daemon/http/route.ts';
import { createStaticFiles } from '../../../daemon/http/static-files.ts';
import { createJsonLineReader } from '../../../daemon/ipc/json-lines.ts';
import { readImage } from '../../../daemon/lib/image-file.ts';
import { parseNdiUrl, parsePullUrl, parseStreamUrl } from '../../../daemon/sources/stream-url.ts';
import { composedHub } from '../../fixtures/composed-hub.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
/** Bun answers larger headers with status 431. */
const headerBytes = 16 << 10;

const folder = mkdtempSync(join(tmpdir(), 'size-limits-'));
for (const name of ['index.html', 'index.html.br', 'index.html.gz']) writeFileSync(join(folder, name), 'page');
const hub = await composedHub();
const session = await hub.signIn('Admin');
process.once('exit', () => {
  hub.remove();
  rmSync(folder, { recursive: true });
});

function header(input: string, value: string): WorstCase {
  return {
    parser: 'Accept-Encoding',
    input,
    prepare() {
      const files = createStaticFiles(folder);
      const app = new Hono<HubEnv>().get('/', (c) => files.respond(c));
      const request = new Request('http://hub/', { headers: { 'accept-encoding': value } });
      return () => app.request(request);
    },
  };
}

const body = (input: string, path: string, text: string): WorstCase => ({
  parser: `body of ${path}`,
  input,
  prepare: () => () =>
    hub.hub.app.request(
      `http://hub${path}`,
      {
        method: 'POST',
        body: text,
        headers: { host: 'hub', 'content-type': 'application/json', cookie: `${cookieNames.sid}=${session}` },
      },
      { ip: '192.0.2.1', isSecure: false, keepOpen: () => {} },
    ),
});

function request(input: string, path: string, headers: Readonly<Record<string, string>>): WorstCase {
  return {
    parser: `headers of ${path.slice(0, 20)}`,
    input,
    prepare: () => () => hub.call(path, { headers, as: session }),
  };
}

const address = (input: string, text: string): WorstCase => ({
  parser: 'stream address',
  input,
  prepare() {
    const parsers = [parseStreamUrl, parsePullUrl, parseNdiUrl].map((parse) => tolerant(() => parse(text)));
    return () => parsers.map((parse) => parse());
  },
});
const host = (input: string, text: string): WorstCase => ({
  parser: 'host',
  input,
  prepare: () => () => isHost(text),
});
const image = (input: string, bytes: Uint8Array): WorstCase => ({
  parser: 'slate picture',
  input,
  prepare: () => tolerant(() => readImage(bytes)),
});

const urlText = (scheme: string, piece: string) => `${scheme}://${fill(piece, limits.url.max - scheme.length - 3)}`;
const typed = (input: string, text: string): WorstCase => ({
  parser: 'typed address',
  input,
  prepare: () => () => [
    RtmpTarget.safeParse({ url: text, key: 'k' }),
    RtspSource.safeParse({ url: text }),
    HttpSource.safeParse({ url: text }),
  ],
});

const pictureBytes = limits.slatePicture.maxBytes;
function png(): Uint8Array {
  const bytes = Buffer.alloc(pictureBytes);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  return bytes;
}
function jpeg(segment: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(pictureBytes).map((_, i) => segment[i % segment.length] ?? 0);
  bytes.set([0xff, 0xd8]);
  bytes.set([0xff, 0xd9], pictureBytes - 2);
  return bytes;
}

const anyText = fill('a', maxBodyBytes - 20);
/** Marks of two combining classes in the wrong order, which composing would sort. Each has two bytes. */
const marks = fill('\u0315\u0300', maxBodyBytes / 2 - 40);
export const hubCases: readonly WorstCase[] = [
  header('spaces', `br${fill(' ', headerBytes)}`),
  header('spaces and a semicolon', `br${fill(' ', headerBytes)};`),
  header('semicolons', fill(';', headerBytes)),
  header('commas', fill(',', headerBytes)),
  body('brackets', '/api/login', fill('[', maxBodyBytes)),
  body('nested arrays', '/api/login', `${fill('[', maxBodyBytes / 2)}${fill(']', maxBodyBytes / 2)}`),
  body('nested objects', '/api/login', `${fill('{"a":', maxBodyBytes / 2)}1${fill('}', maxBodyBytes / 12)}`),
  body('numbers', '/api/login', `[${fill('1,', maxBodyBytes - 3)}1]`.slice(0, maxBodyBytes)),
  body('one long number', '/api/login', fill('1', maxBodyBytes)),
  body('one long fraction', '/api/login', `0.${fill('1', maxBodyBytes - 2)}`),
  body('escapes', '/api/login', `"${fill('\\u0041', maxBodyBytes - 8)}"`),
  body('quotes of a string without an end', '/api/login', `"${fill('\\"', maxBodyBytes - 2)}`),
  body('commas and spaces', '/api/login', `[${fill(', ', maxBodyBytes - 1)}`),
  body('members', '/api/login', `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
  body(
    'members with numeric names',
    '/api/login',
    `{${Array.from({ length: 60_000 }, (_, i) => `"${i * 7919}":1`).join(',')}}`,
  ),
  body(
    'unknown members',
    '/api/login',
    `{"id":"Admin","password":"x",${Array.from({ length: 28_000 }, (_, i) => `"${i.toString(16)}":1`).join(',')}}`,
  ),
  body('a long name', '/api/login', JSON.stringify({ id: anyText, password: '' })),
  body('combining marks in a name', '/api/channel/add', JSON.stringify({ name: marks, config: {} })),
  body('combining marks in a password', '/api/login', JSON.stringify({ id: 'Admin', password: marks })),
  body('a long password', '/api/login', JSON.stringify({ id: 'Admin', password: anyText })),
  request('cookies', '/api/session/check', { cookie: fill('a=b; ', headerBytes) }),
  request('a cookie of percent escapes', '/api/session/check', { cookie: `a=${fill('%41', headerBytes)}` }),
  request('spaces in Authorization', '/api/session/check', { authorization: `Bearer${fill(' ', headerBytes)}x y` }),
  request('dots in Host', '/api/session/check', { host: fill('a.', headerBytes) }),
  request('letters in Origin', '/api/session/check', { origin: `http://${fill('a', headerBytes)}` }),
  request('query parameters', `/api/log/list?${fill('a=1&', headerBytes)}`, {}),
  request('slashes', `/${fill('/', headerBytes)}`, {}),
  address('colons', `srt://${fill(':', maxBodyBytes)}`),
  address('open brackets', `srt://${fill('[', maxBodyBytes)}`),
  address('options', `srt://h:1?${fill('latency=1&', maxBodyBytes)}`),
  address('options of a pull address', urlText('http', 'h/?mw-buffer-duration=1&')),
  address('letters without a colon', fill('a', maxBodyBytes)),
  address('percent escapes', urlText('http', '%41')),
  host('colons', `${fill(':', maxBodyBytes)}x`),
  host('digits and dots', `${fill('1.', maxBodyBytes)}`),
  host('labels', fill('a.', maxBodyBytes)),
  host('one label', fill('a', maxBodyBytes)),
  host('dashes', `a${fill('-', maxBodyBytes)}`),
  typed('letters', urlText('rtmp', 'a')),
  typed('slashes', urlText('rtsp', '/')),
  typed('colons', urlText('http', ':')),
  typed('colons up to the body limit', `http://${fill(':', maxBodyBytes)}x/y`),
  typed('colons in brackets up to the body limit', `http://[${fill(':', maxBodyBytes)}x]/y`),
  { parser: 'search text', input: 'letters up to the body limit', prepare: () => () => LogKey.safeParse(anyText) },
  image('empty PNG chunks', png()),
  image('JPEG padding', jpeg([0xff])),
  image('empty JPEG segments', jpeg([0xff, 0xc4, 0, 0])),
  image('JPEG end markers', jpeg([0xff, 0xd9])),
  {
    parser: 'HLS request',
    input: 'dots',
    prepare: () => () => readRequest(new URL(`http://h/live/${fill('.ts', 8000)}x`)),
  },
  {
    parser: 'HLS request',
    input: 'digits',
    prepare: () => () => readRequest(new URL(`http://h/live/${fill('1', 8000)}/1.1.tsx`)),
  },
  {
    parser: 'JSON lines',
    input: 'empty lines',
    prepare() {
      const read = createJsonLineReader({ maxBytes: 1 << 20, onValue: () => {}, onFault: () => {} });
      const bytes = Buffer.alloc(64 << 10, '\n');
      return () => read(bytes);
    },
  },
];
