/** Parses HLS playlists (RFC 8216), as far as needed to pull transport stream segments. */

interface Variant {
  readonly url: string;
  readonly bandwidth: number;
  /** The audio is in separate playlists. */
  readonly hasSeparateAudio: boolean;
}

/** An address as a playlist has it; `addressOf` makes it absolute. */
interface Reference {
  readonly uri: string;
  /** Address of the playlist, without its query. */
  readonly base: string;
}

interface SegmentKey extends Reference {
  /** 16 bytes; undefined: the media sequence number. */
  readonly iv: Uint8Array | undefined;
}

export interface Segment extends Reference {
  readonly sequence: number;
  readonly durationMs: number;
  readonly range: { readonly from: number; readonly length: number } | undefined;
  readonly key: SegmentKey | undefined;
  /** The server marks the segment as missing. */
  readonly isGap: boolean;
}

export interface MediaPlaylist {
  readonly kind: 'media';
  readonly targetMs: number;
  readonly segments: readonly Segment[];
  /** No segments will be added. */
  readonly isEnded: boolean;
}

export interface MasterPlaylist {
  readonly kind: 'master';
  readonly variants: readonly Variant[];
}

/** Why a playlist cannot be played. */
export class PlaylistError extends Error {
  override readonly name = 'PlaylistError';
  /** The segments have an unsupported format. */
  readonly isForm: boolean;

  constructor(text: string, { isForm }: { readonly isForm: boolean }) {
    super(text);
    this.isForm = isForm;
  }
}

export const playlistLimits = { bytes: 1 << 20, segments: 10_000, variants: 200, keys: 4000 } as const;
const maxBaseCharacters = 1024;
const [leastTargetMs, maxTargetMs] = [500, 60_000];

export function isPlaylist(bytes: Uint8Array): boolean {
  return /^\uFEFF?#EXTM3U/.test(Buffer.from(bytes.subarray(0, 16)).toString('utf8'));
}

/** Throws PlaylistError. */
export function parsePlaylist(text: string, base: string): MediaPlaylist | MasterPlaylist {
  if (!/^\uFEFF?#EXTM3U/.test(text)) throw new PlaylistError('not a playlist', { isForm: false });
  const at = baseOf(base);
  const lines = linesOf(text);
  return text.includes('\n#EXT-X-STREAM-INF') ? readMaster(lines, at) : readMedia(lines, at);
}

/** Yields lines one at a time: a million empty lines take 1 MB as text, and 50 MB as an array. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end).trim();
    from = end < 0 ? text.length : end + 1;
    if (line !== '') yield line;
  }
}

/** Drops the query, which relative URLs never inherit. The cost of resolving a URL grows with its base's length. */
function baseOf(address: string): string {
  const base = new URL(address);
  base.search = base.hash = '';
  if (base.href.length > maxBaseCharacters) {
    throw new PlaylistError('the address of the playlist is too long', { isForm: false });
  }
  return base.href;
}

function readMaster(lines: Iterable<string>, base: string): MasterPlaylist {
  const groups = new Set<string | undefined>();
  const variants: Variant[] = [];
  let pending: ReadonlyMap<string, string> | undefined;
  for (const line of lines) {
    const media = after(line, '#EXT-X-MEDIA:');
    if (media !== undefined) {
      const fields = attributes(media);
      if (fields.get('TYPE') === 'AUDIO' && fields.has('URI')) groups.add(fields.get('GROUP-ID'));
    }
    const stream = after(line, '#EXT-X-STREAM-INF:');
    if (stream !== undefined) pending = attributes(stream);
    if (line.startsWith('#') || !pending) continue;
    const bandwidth = Number(pending.get('BANDWIDTH')) || 0;
    const group = pending.get('AUDIO');
    variants.push({
      url: addressOf({ uri: line, base }),
      bandwidth,
      hasSeparateAudio: group !== undefined && groups.has(group),
    });
    pending = undefined;
    if (variants.length > playlistLimits.variants) throw new PlaylistError('too many variants', { isForm: false });
  }
  return { kind: 'master', variants };
}

function readMedia(lines: Iterable<string>, base: string): MediaPlaylist {
  const state = { sequence: 0, targetMs: 0, durationMs: 0, isGap: false, isEnded: false };
  const segments: Segment[] = [];
  let key: SegmentKey | undefined;
  let range: { from: number; length: number } | undefined;
  let rangeEnd = 0;
  let keys = 0;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const tag = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1);
    if (tag === '#EXT-X-TARGETDURATION') state.targetMs = Number(value) * 1000;
    else if (tag === '#EXT-X-MEDIA-SEQUENCE') state.sequence = sequenceOf(value);
    else if (tag === '#EXTINF') state.durationMs = (Number.parseFloat(value) || 0) * 1000;
    else if (tag === '#EXT-X-GAP') state.isGap = true;
    else if (tag === '#EXT-X-ENDLIST') state.isEnded = true;
    else if (tag === '#EXT-X-MAP') throw new PlaylistError('the segments are fragmented MP4', { isForm: true });
    else if (tag === '#EXT-X-KEY') {
      if (++keys > playlistLimits.keys) throw new PlaylistError('too many keys', { isForm: false });
      key = readKey(attributes(value), base);
    } else if (tag === '#EXT-X-BYTERANGE') {
      const [length = 0, from = rangeEnd] = value.split('@').map(Number);
      range = { from, length };
      rangeEnd = from + length;
    } else if (!line.startsWith('#')) {
      const { durationMs, isGap, sequence } = state;
      segments.push({ uri: line, base, sequence: sequence + segments.length, durationMs, range, key, isGap });
      if (segments.length > playlistLimits.segments) throw new PlaylistError('too many segments', { isForm: false });
      state.isGap = false;
      range = undefined;
    }
  }
  const targetMs = Math.min(maxTargetMs, Math.max(leastTargetMs, state.targetMs || leastTargetMs));
  return { kind: 'media', targetMs, segments, isEnded: state.isEnded };
}

function readKey(fields: ReadonlyMap<string, string>, base: string): SegmentKey | undefined {
  const method = fields.get('METHOD');
  if (method === 'NONE') return undefined;
  const format = fields.get('KEYFORMAT') ?? 'identity';
  const uri = fields.get('URI');
  if (method !== 'AES-128' || format !== 'identity' || !uri) {
    throw new PlaylistError('the segments are encrypted in a way that needs a license', { isForm: true });
  }
  const iv = /^0x([0-9a-f]{1,32})$/i.exec(fields.get('IV') ?? '')?.[1];
  return { uri, base, iv: iv === undefined ? undefined : Buffer.from(iv.padStart(32, '0'), 'hex') };
}

/**
 * Returns the absolute address of a segment or a key. Throws PlaylistError. Called for what is fetched only: a playlist
 * may name thousands of segments, and a long base makes each of them expensive to resolve.
 */
export function addressOf({ uri, base }: Reference): string {
  const url = URL.parse(uri, base);
  // HTTP only: a playlist must not make us read files.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new PlaylistError('the playlist names what is no HTTP address', { isForm: false });
  }
  url.username = url.password = '';
  return url.href;
}

function after(line: string, tag: string): string | undefined {
  return line.startsWith(tag) ? line.slice(tag.length) : undefined;
}

/** Sticky, so that matching takes linear time: a search would rescan a long run of text from each of its bytes. */
const attribute = /[,\s]*([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))/gy;

/** Stops at the first text that is not an attribute. */
function attributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(attribute)) {
    if (name) found.set(name, quoted ?? plain ?? '');
  }
  return found;
}

/** Returns the sequence number, or 0 if the text is not a whole number. */
function sequenceOf(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}
