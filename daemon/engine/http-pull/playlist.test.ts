import { describe, expect, test } from 'bun:test';
import { addressOf, isPlaylist, type MediaPlaylist, PlaylistError, parsePlaylist, playlistLimits } from './playlist.ts';

const base = 'http://tv.example/live/main/index.m3u8?token=1';
const media = (...lines: string[]) => parsePlaylist(['#EXTM3U', ...lines].join('\n'), base) as MediaPlaylist;

test('a playlist is recognized by its first line, also after a byte order mark', () => {
  expect(isPlaylist(Buffer.from('#EXTM3U\n#EXT'))).toBe(true);
  expect(isPlaylist(Buffer.from('\uFEFF#EXTM3U\n'))).toBe(true);
  expect(isPlaylist(Buffer.from('<html>'))).toBe(false);
  expect(isPlaylist(new Uint8Array([0x47, 0x40]))).toBe(false);
});

describe('a media playlist', () => {
  test('lists segments in order, with absolute addresses', () => {
    const playlist = media(
      '#EXT-X-TARGETDURATION:4',
      '#EXT-X-MEDIA-SEQUENCE:2680',
      '#EXTINF:3.96,',
      'a.ts',
      '#EXT-X-DISCONTINUITY',
      '#EXTINF:4,title: with colon',
      '/other/b.ts',
      '#EXT-X-GAP',
      '#EXTINF:4',
      'https://cdn.example/c.ts',
    );
    expect(playlist).toMatchObject({ kind: 'media', targetMs: 4000, isEnded: false });
    expect(
      playlist.segments.map((segment) => [addressOf(segment), segment.sequence, segment.durationMs, segment.isGap]),
    ).toEqual([
      ['http://tv.example/live/main/a.ts', 2680, 3960, false],
      ['http://tv.example/other/b.ts', 2681, 4000, false],
      ['https://cdn.example/c.ts', 2682, 4000, true],
    ]);
  });

  test('may use byte ranges of one file', () => {
    const { segments } = media(
      '#EXTINF:1',
      '#EXT-X-BYTERANGE:1000@500',
      'all.ts',
      '#EXTINF:1',
      '#EXT-X-BYTERANGE:200',
      'all.ts',
    );
    expect(segments.map(({ range }) => range)).toEqual([
      { from: 500, length: 1000 },
      { from: 1500, length: 200 },
    ]);
  });

  test('may name keys, until METHOD=NONE', () => {
    const { segments } = media(
      '#EXT-X-KEY:METHOD=AES-128,URI="key?a=1,b=2",IV=0x0F',
      '#EXTINF:1',
      'a.ts',
      '#EXT-X-KEY:METHOD=NONE',
      '#EXTINF:1',
      'b.ts',
    );
    expect(segments[0]?.key && addressOf(segments[0].key)).toBe('http://tv.example/live/main/key?a=1,b=2');
    expect(segments[0]?.key?.iv?.at(-1)).toBe(15);
    expect(segments[1]?.key).toBeUndefined();
  });

  test('says when no more segments will be added', () => {
    expect(media('#EXTINF:1', 'a.ts', '#EXT-X-ENDLIST').isEnded).toBe(true);
  });

  test('is refused in an unsupported form', () => {
    const form = (line: string) => {
      try {
        media(line, '#EXTINF:1', 'a.mp4');
      } catch (error) {
        return error instanceof PlaylistError && error.isForm;
      }
      return undefined;
    };
    expect(form('#EXT-X-MAP:URI="init.mp4"')).toBe(true);
    expect(form('#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x"')).toBe(true);
  });

  test('is limited to HTTP addresses, and credentials in them are removed', () => {
    expect(() => addressOf({ uri: 'file:///etc/passwd', base })).toThrow(PlaylistError);
    expect(addressOf({ uri: 'http://me:secret@x/a.ts', base })).toBe('http://x/a.ts');
  });

  test('is bounded', () => {
    const many = Array.from({ length: playlistLimits.segments + 1 }, (_, i) => `${i}.ts`);
    expect(() => media(...many)).toThrow('too many');
    expect(media('#EXT-X-TARGETDURATION:999999').targetMs).toBe(60_000);
    expect(media('#EXT-X-TARGETDURATION:nonsense').targetMs).toBe(500);
  });
});

test('a master playlist shows which variants contain their audio', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="apart",NAME="en",URI="en.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="inside",NAME="en"',
    '#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="inside"',
    'low.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=3000000,AUDIO="apart"',
    'high.m3u8',
  ].join('\r\n');
  expect(parsePlaylist(text, base)).toEqual({
    kind: 'master',
    variants: [
      { url: 'http://tv.example/live/main/low.m3u8', bandwidth: 800_000, hasSeparateAudio: false },
      { url: 'http://tv.example/live/main/high.m3u8', bandwidth: 3_000_000, hasSeparateAudio: true },
    ],
  });
});
