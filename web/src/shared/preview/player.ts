/** Plays a channel's low-latency HLS in a video element and reports its state. */
import Hls from 'hls.js';
import { previewPlaylistPath } from '../../../../daemon/contract/preview-stream.ts';

/** `nothing`: no publisher, or no response from the hub; retried. `codec`: the stream cannot be decoded here. */
export type PlayerState = 'loading' | 'playing' | 'nothing' | 'codec';

export interface Player {
  /** Seconds behind the live edge of the hub, or undefined. */
  latency(): number | undefined;
  close(): void;
}

/** Media types of the codecs after demuxing a transport stream; profiles and levels do not matter. */
const pictureTypes: Readonly<Record<string, string>> = {
  h264: 'video/mp4; codecs="avc1.64002a"',
  hevc: 'video/mp4; codecs="hvc1.1.6.L150.90"',
};
const soundTypes: Readonly<Record<string, string>> = {
  aac: 'audio/mp4; codecs="mp4a.40.2"',
  mp2: 'audio/mpeg',
  mp3: 'audio/mpeg',
  ac3: 'audio/mp4; codecs="ac-3"',
};
const retryMs = 1000;
/** Target and maximum latency behind the live edge of the hub. */
const byPartSeconds = { usual: 1.2, max: 4 };
const bySegmentSeconds = { usual: 3.5, max: 8 };
/** A whole segment arrives about every two seconds: with less buffered ahead, playback would stall after each one. */
const segmentAheadSeconds = 2.5;
const holeSeconds = 0.3;
/** What is played before more arrives, at the start. */
const startAheadSeconds = 1;

/** Why video or audio cannot play: `preview`, never; `browser`, not in this one; undefined: only a try can tell. */
type Hindrance = 'none' | 'preview' | 'browser' | undefined;
export const pictureHindrance = (codec: string | undefined) => hindrance(pictureTypes, codec);
export const soundHindrance = (codec: string | undefined) => hindrance(soundTypes, codec);

function hindrance(types: Readonly<Record<string, string>>, codec: string | undefined): Hindrance {
  if (codec === undefined) return undefined;
  const type = types[codec];
  if (type === undefined) return 'preview';
  return Hls.isSupported() && MediaSource.isTypeSupported(type) ? 'none' : 'browser';
}

/** MPEG audio arrives as is, without its own timestamps: assembled from parts it stutters, and the video with it. */
export const playsParts = (sound: string | undefined) => sound === undefined || soundTypes[sound] !== 'audio/mpeg';

interface PlayerOptions {
  readonly video: HTMLVideoElement;
  readonly channelId: number;
  /** Whether to load partial segments, for lower latency. */
  readonly byParts: boolean;
  readonly onState: (state: PlayerState) => void;
}

export function startPlayer({ video, channelId, byParts, onState }: PlayerOptions): Player {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hls: Hls | undefined;
  const behind = byParts ? byPartSeconds : bySegmentSeconds;
  let hasPlayed = false;
  let isRefilling = false;

  function begin(): void {
    hls = new Hls({
      // The page's content security policy does not allow workers from a blob.
      enableWorker: false,
      lowLatencyMode: byParts,
      startFragPrefetch: true,
      backBufferLength: 10,
      maxBufferLength: 10,
      maxMaxBufferLength: 20,
      liveSyncDuration: behind.usual,
      liveMaxLatencyDuration: behind.max,
      maxLiveSyncPlaybackRate: 1.1,
      manifestLoadPolicy: once(12_000),
      playlistLoadPolicy: once(22_000),
    });
    hls.on(Hls.Events.ERROR, (_, { fatal, details, error }) => {
      if (!fatal) return;
      if (isAboutCodec(details, error)) return onState('codec');
      onState('nothing');
      hls?.destroy();
      clearTimeout(timer);
      timer = setTimeout(begin, retryMs);
    });
    // A stalled player would stay behind by the length of the stall; skipping ahead is preferable.
    hls.on(Hls.Events.LEVEL_UPDATED, () => {
      const { latency = 0, liveSyncPosition } = hls ?? {};
      if (latency > behind.max && liveSyncPosition && !video.seeking) video.currentTime = liveSyncPosition;
    });
    // On every load, because loading pauses the element.
    hls.on(Hls.Events.MANIFEST_PARSED, () => void play(video));
    hls.loadSource(previewPlaylistPath(channelId));
    hls.attachMedia(video);
  }

  const onPlaying = () => {
    hasPlayed = true;
    onState('playing');
  };
  const onWaiting = () => {
    onState('loading');
    // hls.js skips a hole if data follows it, but not while paused.
    if (byParts || isRefilling || !hasPlayed || secondsAhead(video) > holeSeconds) return;
    isRefilling = true;
    video.pause();
  };
  const onProgress = () => {
    if (!hasPlayed) startWithinBuffer(video);
    if (!isRefilling || secondsAhead(video) < segmentAheadSeconds) return;
    isRefilling = false;
    void play(video);
  };
  // After a short stall some browsers resume without a `playing` event.
  const onTime = () => {
    if (!video.paused && !video.seeking && video.readyState >= video.HAVE_FUTURE_DATA) onPlaying();
  };
  video.addEventListener('playing', onPlaying);
  video.addEventListener('waiting', onWaiting);
  video.addEventListener('progress', onProgress);
  video.addEventListener('timeupdate', onTime);
  begin();
  return {
    latency: () => (hls !== undefined && hls.latency > 0 ? hls.latency : undefined),
    close() {
      clearTimeout(timer);
      video.removeEventListener('playing', onPlaying);
      video.removeEventListener('waiting', onWaiting);
      video.removeEventListener('progress', onProgress);
      video.removeEventListener('timeupdate', onTime);
      hls?.destroy();
    },
  };
}

/** The player aims behind the live edge, which may be past what it has; waiting for that would show nothing. */
function startWithinBuffer(video: HTMLVideoElement): void {
  const { buffered, currentTime } = video;
  if (buffered.length === 0 || video.seeking) return;
  const last = buffered.length - 1;
  const [start, end] = [buffered.start(last), buffered.end(last)];
  if (currentTime < start || currentTime > end) video.currentTime = Math.max(start, end - startAheadSeconds);
}

function secondsAhead({ buffered, currentTime }: HTMLVideoElement): number {
  return buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0;
}

/** Whether the error concerns the codec, so that a retry would fail in the same way. */
function isAboutCodec(details: string, { message }: Error): boolean {
  const { BUFFER_ADD_CODEC_ERROR, BUFFER_INCOMPATIBLE_CODECS_ERROR, FRAG_PARSING_ERROR } = Hls.ErrorDetails;
  if (details === FRAG_PARSING_ERROR) return message.startsWith('Unsupported');
  return details === BUFFER_ADD_CODEC_ERROR || details === BUFFER_INCOMPATIBLE_CODECS_ERROR;
}

async function play(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play();
  } catch (error) {
    // Before the first user interaction, browsers only play muted video; the sound button then unmutes it.
    if (!(error instanceof Error) || error.name !== 'NotAllowedError') return;
    video.muted = true;
    await video.play().catch(() => undefined);
  }
}

function once(ms: number) {
  return {
    default: { maxTimeToFirstByteMs: ms, maxLoadTimeMs: ms, timeoutRetry: null, errorRetry: null },
  };
}
