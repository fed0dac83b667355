/** Plays a channel's low-latency HLS into a video element, and says how it goes. */
import Hls from 'hls.js';
import { previewPlaylistPath } from '../../../../daemon/contract/preview.ts';

/** `nothing`: nobody publishes, or the hub doesn't answer; it is tried again. `codec`: what comes can't be decoded here. */
export type PlayerState = 'loading' | 'playing' | 'nothing' | 'codec';

export interface Player {
  /** Seconds behind what the hub has, or undefined. */
  latency(): number | undefined;
  close(): void;
}

/** What comes out of a transport stream here, as in lists of media types; profiles and levels don't matter. */
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
/** How far behind what the hub has, as a rule and at most. */
const byPartSeconds = { usual: 1.2, most: 4 };
const bySegmentSeconds = { usual: 3.5, most: 8 };
/** A whole segment comes every two seconds or so: who goes on with less in advance stops at the end of each. */
const segmentAheadSeconds = 2.5;
const holeSeconds = 0.3;

/** Whether a picture or a sound plays: `preview`, it can't, and `browser`, this one can't; undefined where only a try can tell. */
export type Hindrance = 'none' | 'preview' | 'browser' | undefined;
export const pictureHindrance = (codec: string | undefined) => hindrance(pictureTypes, codec);
export const soundHindrance = (codec: string | undefined) => hindrance(soundTypes, codec);

function hindrance(types: Readonly<Record<string, string>>, codec: string | undefined): Hindrance {
  if (codec === undefined) return undefined;
  const type = types[codec];
  if (type === undefined) return 'preview';
  return Hls.isSupported() && MediaSource.isTypeSupported(type) ? 'none' : 'browser';
}

/** Sound of MPEG comes as it is, without times of its own: put together from parts it stutters, and the picture with it. */
export const playsParts = (sound: string | undefined) => sound === undefined || soundTypes[sound] !== 'audio/mpeg';

export interface PlayerOptions {
  readonly video: HTMLVideoElement;
  readonly channelId: number;
  /** Whether it takes parts of segments, to be close to what is live. */
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
      // The page's policy allows no worker from a blob.
      enableWorker: false,
      lowLatencyMode: byParts,
      startFragPrefetch: true,
      backBufferLength: 10,
      maxBufferLength: 10,
      maxMaxBufferLength: 20,
      liveSyncDuration: behind.usual,
      liveMaxLatencyDuration: behind.most,
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
    // A player that had to wait would stay behind by that much; nobody misses what is skipped.
    hls.on(Hls.Events.LEVEL_UPDATED, () => {
      const { latency = 0, liveSyncPosition } = hls ?? {};
      if (latency > behind.most && liveSyncPosition && !video.seeking) video.currentTime = liveSyncPosition;
    });
    // Each time: loading anew pauses the element.
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
    // Where something comes behind a hole, hls.js goes on there; paused, it would not.
    if (byParts || isRefilling || !hasPlayed || secondsAhead(video) > holeSeconds) return;
    isRefilling = true;
    video.pause();
  };
  const onProgress = () => {
    if (!isRefilling || secondsAhead(video) < segmentAheadSeconds) return;
    isRefilling = false;
    void play(video);
  };
  // After a short wait some browsers go on without a word.
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

function secondsAhead({ buffered, currentTime }: HTMLVideoElement): number {
  return buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0;
}

/** Trying again would end the same way. */
function isAboutCodec(details: string, { message }: Error): boolean {
  const { BUFFER_ADD_CODEC_ERROR, BUFFER_INCOMPATIBLE_CODECS_ERROR, FRAG_PARSING_ERROR } = Hls.ErrorDetails;
  if (details === FRAG_PARSING_ERROR) return message.startsWith('Unsupported');
  return details === BUFFER_ADD_CODEC_ERROR || details === BUFFER_INCOMPATIBLE_CODECS_ERROR;
}

async function play(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play();
  } catch (error) {
    // Before somebody did something on the page, browsers play silent pictures only; the sound button makes up for it.
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
