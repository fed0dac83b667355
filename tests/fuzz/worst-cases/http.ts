/** HLS playlists and authentication challenges from servers that the hub pulls, and headers sent to its servers. */

import { parsePlaylist, playlistLimits } from '../../../daemon/engine/http-pull/playlist.ts';
import { Authorizer, Gatekeeper } from '../../../daemon/engine/net/http-auth.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const base = 'http://198.51.100.7/live/index.m3u8';

function playlist(input: string, makeText: (bytes: number) => string, from = base): WorstCase {
  return {
    parser: 'HLS playlist',
    input,
    prepare() {
      const text = `#EXTM3U\n${makeText(playlistLimits.bytes - 8)}`.slice(0, playlistLimits.bytes);
      return tolerant(() => parsePlaylist(text, from));
    },
  };
}

const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
const headerBytes = 16 << 10;

function challenge(input: string, header: string): WorstCase {
  return {
    parser: 'WWW-Authenticate',
    input,
    prepare: () => () => new Authorizer({ username: 'user', password: 'secret' }).learn(header),
  };
}

function login(input: string, header: string): WorstCase {
  return {
    parser: 'RTSP Authorization header',
    input,
    prepare: () => () =>
      new Gatekeeper('Signalbox', 'nonce').admits(header, 'DESCRIBE', { username: 'u', password: 'p' }),
  };
}

const badHeaders: readonly (readonly [string, string])[] = [
  ['dashes', fill('-', headerBytes)],
  ['letters without an equals sign', `Digest ${fill('a', headerBytes)}`],
  ['an unterminated quoted string', `Digest realm="${fill('a', headerBytes)}`],
  ['unterminated quoted strings', `Digest ${fill('a="', headerBytes)}`],
  ['backslashes in a quoted string', `Digest realm="${fill('\\', headerBytes)}`],
  ['names and spaces without an equals sign', `Digest ${fill('a ', headerBytes)}`],
  ['a name and spaces', `Digest realm${fill(' ', headerBytes)}`],
  ['many fields', `Digest ${fill('a=b,', headerBytes)}`],
  ['Basic and a long word', `Basic ${fill('a', headerBytes)} !`],
];

export const httpCases: readonly WorstCase[] = [
  playlist('one tag of letters', (bytes) => `#EXT-X-KEY:${fill('A', bytes)}`),
  playlist('tags of letters', (bytes) => fill(`#EXT-X-KEY:${'A'.repeat(4000)}\n`, bytes)),
  playlist('a stream tag of letters', (bytes) => `#EXT-X-STREAM-INF:${fill('A', bytes)}`),
  playlist('a tag of equals signs', (bytes) => `#EXT-X-MEDIA:${fill('=', bytes - 40)}\n#EXT-X-STREAM-INF:`),
  playlist('unterminated quoted values', (bytes) => `#EXT-X-KEY:METHOD=NONE,${fill('A="', bytes)}`),
  playlist('many attributes', (bytes) => `#EXT-X-KEY:METHOD=NONE,${fill('A=1,', bytes)}`),
  playlist('colons', (bytes) => fill(':', bytes)),
  playlist('empty lines', (bytes) => fill('\n', bytes)),
  playlist('carriage returns', (bytes) => fill('\r', bytes)),
  playlist('spaces', (bytes) => `a${fill(' ', bytes - 2)}a`),
  playlist('short comments', (bytes) => fill('#\n', bytes)),
  playlist('short tags', (bytes) => fill('#EXTINF:1\n', bytes)),
  playlist('as many segments as the limit allows', (bytes) =>
    fill('segment.ts\n', Math.min(bytes, 11 * playlistLimits.segments)),
  ),
  playlist('segments of one letter', (bytes) => fill('a\n', bytes)),
  playlist('segments at a long address', (bytes) => fill('a\n', bytes), `${base}/${'a/'.repeat(4000)}`),
  playlist('segments at the longest address', (bytes) => fill('a\n', bytes), `${base}/${'a/'.repeat(480)}`),
  playlist(
    'keys and segments',
    (bytes) => fill('#EXT-X-KEY:METHOD=AES-128,URI="k"\na\n', bytes),
    `${base}/${'a/'.repeat(480)}`,
  ),
  playlist('one long segment address', (bytes) => fill('../', bytes)),
  playlist('variants', (bytes) => fill('#EXT-X-STREAM-INF:BANDWIDTH=1\na\n', bytes)),
  playlist('keys', (bytes) => fill('#EXT-X-KEY:METHOD=AES-128,URI="k"\n', bytes)),
  ...badHeaders.map(([input, header]) => challenge(input, header)),
  ...badHeaders.map(([input, header]) => login(input, header)),
];
