import type { MediaInfo } from '../../../../daemon/contract/stream-fields.ts';

const codecNames: Readonly<Record<string, string>> = {
  h264: 'H.264',
  avc: 'H.264',
  hevc: 'HEVC',
  h265: 'HEVC',
  av1: 'AV1',
  vp9: 'VP9',
  mpeg1video: 'MPEG-1',
  mpeg2: 'MPEG-2',
  mpeg2video: 'MPEG-2',
  mpeg4: 'MPEG-4',
  vvc: 'VVC',
  aac: 'AAC',
  opus: 'Opus',
  mp3: 'MP3',
  mp2: 'MP2',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  aac_latm: 'AAC (LATM)',
};

export function codecName(codec: string): string {
  return codecNames[codec.toLowerCase()] ?? codec;
}

/** Frame rate in the usual notation: 25, 29.97. */
export function rateText(fps: number): string {
  return String(Math.round(fps * 100) / 100);
}

/** For example `1920×1080 · 29.97 fps · H.264`, with `1080i` for interlaced pictures; unknown parts are omitted. */
export function pictureText(video: MediaInfo['video']): string | undefined {
  if (video === undefined) return undefined;
  const { codec, width, height, fps, interlaced } = video;
  const scan = interlaced ? 'i' : '';
  const size = width !== undefined && height !== undefined ? `${width}×${height}${scan}` : undefined;
  return [size, fps === undefined ? undefined : `${rateText(fps)} fps`, codecName(codec)]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** For example `AAC · 48 kHz · 2 ch · deu`. */
export function soundText(audio: MediaInfo['audio']): string | undefined {
  if (audio === undefined) return undefined;
  const rate = audio['sample-rate'];
  const parts = [
    codecName(audio.codec),
    rate === undefined ? undefined : `${rate / 1000} kHz`,
    audio.channels === undefined ? undefined : `${audio.channels} ch`,
    audio.language,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** The tracks other than those shown, for example `AC-3 fra`. */
export function furtherTracks({ tracks = [] }: MediaInfo): string[] {
  const [video, audio] = [tracks.find(isVideo), tracks.find((track) => !isVideo(track))];
  return tracks
    .filter((track) => track !== video && track !== audio)
    .map(({ codec, language }) => [codecName(codec), language].filter((part) => part !== undefined).join(' '));
}

function isVideo({ kind }: NonNullable<MediaInfo['tracks']>[number]): boolean {
  return kind === 'video';
}
