/** Playlists and headers from HTTP peers, and addresses from users and programs. */
import { isHost } from '../../../daemon/contract/rules.ts';
import { readRequest } from '../../../daemon/engine/hls/request.ts';
import { PlaylistError, parsePlaylist } from '../../../daemon/engine/http-pull/playlist.ts';
import { Authorizer, Gatekeeper } from '../../../daemon/engine/net/http-auth.ts';
import { parseRtmpUrl, tcUrl } from '../../../daemon/engine/rtmp/url.ts';
import { HubError } from '../../../daemon/lib/hub-error.ts';
import { parseNdiUrl, parsePullUrl, parseStreamUrl, schemeOf } from '../../../daemon/sources/stream-url.ts';
import { splitOptions } from '../../../daemon/sources/url-options.ts';
import { allow, type FuzzTarget, parser } from '../target.ts';

const text = (input: Uint8Array) => Buffer.from(input).toString('utf8');
const lines = (...all: string[]) => Buffer.from(['#EXTM3U', ...all].join('\n'));
const playlists = [
  lines(
    '#EXT-X-TARGETDURATION:6',
    '#EXT-X-MEDIA-SEQUENCE:7',
    '#EXTINF:6.0,',
    'a.ts',
    '#EXT-X-BYTERANGE:100@5',
    'b.ts',
    '#EXT-X-ENDLIST',
  ),
  lines(
    '#EXT-X-KEY:METHOD=AES-128,URI="k?x=1,2",IV=0x0123456789abcdef',
    '#EXTINF:2',
    '../c.ts?y="z"',
    '#EXT-X-GAP',
    'd.ts',
  ),
  lines(
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="s.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
    'http://x/low.m3u8',
  ),
];
const headers = [
  'Digest realm="a\\"b", nonce="c", qop="auth,auth-int", algorithm=SHA-256, Basic realm=x',
  'Basic dTpw',
  'Digest username="u", nc=00000001',
];
const urls = [
  'srt://h:1?mode=listener&latency=20&passphrase=0123456789',
  'udp://@239.0.0.1:5?ttl=3',
  'rtsp://u:p%41@h/x?mw-tcp-first=1',
  'http://h/live.m3u8?mw-program=3',
  'ndi://A%20(b)?groups=x',
  'rtmp://u:p@h/app/key',
  'http://h/live/key/12.3.ts?_HLS_msn=5',
];

const parsers = [parseStreamUrl, parsePullUrl, parseNdiUrl, (url: string) => splitOptions(schemeOf(url), url)];

export const addressTargets: readonly FuzzTarget[] = [
  parser(
    'hls-playlist',
    600,
    () => playlists,
    (input) => allow([PlaylistError], () => parsePlaylist(text(input), 'http://h/live/index.m3u8')),
  ),
  parser(
    'http-auth',
    600,
    () => headers.map((header) => Buffer.from(header)),
    (input) => {
      const credentials = { username: 'u', password: 'p' };
      new Gatekeeper('Signalbox', 'n').admits(text(input), 'GET', credentials);
      const authorizer = new Authorizer(credentials);
      authorizer.learn(text(input));
      return authorizer.header('GET', '/');
    },
  ),
  parser(
    'addresses',
    600,
    () => urls.map((url) => Buffer.from(url)),
    (input) => {
      const url = text(input);
      const target = parseRtmpUrl(url, '');
      const web = URL.parse(url);
      return [
        ...parsers.map((parse) => allow([HubError], () => parse(url))),
        isHost(url),
        ...[target && tcUrl(target, { withCredentials: true }), web && readRequest(web)],
      ];
    },
  ),
];
