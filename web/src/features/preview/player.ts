/** Plays a channel's low-latency HLS into a video element, and says how it goes. */
import Hls from 'hls.js';
import { previewPlaylistPath } from '../../../../daemon/contract/preview.ts';

/** `nothing`: nobody publishes, or the hub doesn't answer; it is tried again. `codec`: the browser can't decode it. */
export type PlayerState = 'loading' | 'playing' | 'nothing' | 'codec';

export interface Player {
  /** Seconds behind what the hub has, or undefined. */
  latency(): number | undefined;
  close(): void;
}

/** As in lists of media types; of profiles and levels any will do for the question. */
const codecStrings: Readonly<Record<string, string>> = {
  h264: 'avc1.64002a',
  hevc: 'hvc1.1.6.L150.90',
  av1: 'av01.0.08M.08',
  vp9: 'vp09.00.40.08',
};
const retryMs = 1000;
const mostBehindSeconds = 4;

/** Whether this browser can play a channel's picture; undefined where only a try can tell. */
export function canPlay(codec: string | undefined): boolean | undefined {
  if (codec === undefined) return undefined;
  const name = codecStrings[codec];
  return name !== undefined && Hls.isSupported() && MediaSource.isTypeSupported(`video/mp4; codecs="${name}"`);
}

export function startPlayer(video: HTMLVideoElement, channelId: number, onState: (state: PlayerState) => void): Player {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hls: Hls | undefined;

  function begin(): void {
    hls = new Hls({
      // The page's policy allows no worker from a blob.
      enableWorker: false,
      lowLatencyMode: true,
      startFragPrefetch: true,
      backBufferLength: 10,
      maxBufferLength: 10,
      maxMaxBufferLength: 20,
      liveSyncDuration: 1.2,
      liveMaxLatencyDuration: mostBehindSeconds,
      maxLiveSyncPlaybackRate: 1.1,
      manifestLoadPolicy: once(12_000),
      playlistLoadPolicy: once(22_000),
    });
    hls.on(Hls.Events.ERROR, (_, { fatal, type, details }) => {
      if (!fatal) return;
      const isCodec = details === Hls.ErrorDetails.BUFFER_ADD_CODEC_ERROR || details.includes('ncompatibleCodecs');
      if (type === Hls.ErrorTypes.MEDIA_ERROR && isCodec) return onState('codec');
      onState('nothing');
      hls?.destroy();
      clearTimeout(timer);
      timer = setTimeout(begin, retryMs);
    });
    // A player that had to wait would stay behind by that much; nobody misses what is skipped.
    hls.on(Hls.Events.LEVEL_UPDATED, () => {
      const { latency = 0, liveSyncPosition } = hls ?? {};
      if (latency > mostBehindSeconds && liveSyncPosition && !video.seeking) video.currentTime = liveSyncPosition;
    });
    // Each time: loading anew pauses the element.
    hls.on(Hls.Events.MANIFEST_PARSED, () => void play(video));
    hls.loadSource(previewPlaylistPath(channelId));
    hls.attachMedia(video);
  }

  const onPlaying = () => onState('playing');
  const onWaiting = () => onState('loading');
  video.addEventListener('playing', onPlaying);
  video.addEventListener('waiting', onWaiting);
  begin();
  return {
    latency: () => (hls !== undefined && hls.latency > 0 ? hls.latency : undefined),
    close() {
      clearTimeout(timer);
      video.removeEventListener('playing', onPlaying);
      video.removeEventListener('waiting', onWaiting);
      hls?.destroy();
    },
  };
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
