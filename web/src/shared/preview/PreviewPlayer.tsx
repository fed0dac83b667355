import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { IconMaximize, IconVolume, IconVolumeOff, IconX } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { Channel, ChannelInput } from '../../../../daemon/contract/channels.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { useWatching } from '../../lib/watching.ts';
import { codecName, rateText } from '../streams/media-text.ts';
import { LevelMeters } from './LevelMeters.tsx';
import styles from './PreviewPlayer.module.css';
import { type Player, type PlayerState, pictureHindrance, playsParts, soundHindrance, startPlayer } from './player.ts';
import { openSound, type Sound } from './sound.ts';

interface PreviewPlayerProps {
  readonly channel: Channel;
  /** Shown until the first frame. */
  readonly behind: ReactNode;
  readonly onClose: () => void;
}

/** Live picture of a channel with its audio levels. It stops when the page is hidden; Escape closes it. */
export default function PreviewPlayer({ channel, behind, onClose }: PreviewPlayerProps) {
  const { t } = useLingui();
  const video = useRef<HTMLVideoElement>(null);
  const { state, player, sound } = usePlayer(video, channel);
  const [isHeard, setHeard] = useState(false);
  const { media } = channel.input;
  const hindrance = soundHindrance(media?.audio?.codec);
  const isMeasured = state === 'playing' && (hindrance === undefined || hindrance === 'none');
  const levels = useCallback(
    (count: number) => (isMeasured ? sound.current?.levels(count) : undefined),
    [sound, isMeasured],
  );
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const toggleSound = () => {
    setHeard(!isHeard);
    if (video.current !== null) video.current.muted = false;
    sound.current?.wake();
    sound.current?.setHeard(!isHeard);
  };
  return (
    <section
      aria-label={t`Preview of ${channel.name}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape' && document.fullscreenElement === null) onClose();
      }}
    >
      <div className={styles.screen}>
        {state !== 'codec' && behind}
        {/* biome-ignore lint/a11y/useMediaCaption: a contribution stream has no captions of its own */}
        <video ref={video} className={styles.video} playsInline aria-label={t`Live picture of ${channel.name}`} />
        <StateText state={state} channel={channel} />
      </div>
      {(media === undefined || media.audio) && <LevelMeters count={media?.audio?.channels ?? 2} levels={levels} />}
      <SoundText media={media} />
      <div className={styles.bar}>
        <Button
          ref={first}
          variant="default"
          aria-pressed={isHeard}
          leftSection={isHeard ? <IconVolume size={16} aria-hidden /> : <IconVolumeOff size={16} aria-hidden />}
          onClick={toggleSound}
        >
          {isHeard ? <Trans>Mute</Trans> : <Trans>Unmute</Trans>}
        </Button>
        <Button
          variant="default"
          leftSection={<IconMaximize size={16} aria-hidden />}
          onClick={() => void video.current?.requestFullscreen()}
        >
          <Trans>Full screen</Trans>
        </Button>
        <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={onClose}>
          <Trans>Close preview</Trans>
        </Button>
        <PlayFacts channel={channel} video={video} player={player} />
      </div>
    </section>
  );
}

function usePlayer(video: React.RefObject<HTMLVideoElement | null>, { id, input }: Channel) {
  const [state, setState] = useState<PlayerState>('loading');
  const player = useRef<Player>(undefined);
  const sound = useRef<Sound>(undefined);
  const isHidden = useDocumentVisibility() === 'hidden';
  const picture = pictureHindrance(input.media?.video?.codec);
  const isPossible = picture === undefined || picture === 'none';
  const byParts = playsParts(input.media?.audio?.codec);
  useEffect(() => {
    const element = video.current;
    if (element === null || isHidden || !isPossible) return;
    const started = startPlayer({ video: element, channelId: id, byParts, onState: setState });
    player.current = started;
    sound.current ??= openSound(element);
    return () => {
      started.close();
      player.current = undefined;
      setState('loading');
    };
  }, [video, id, byParts, isHidden, isPossible]);
  useEffect(() => {
    const element = video.current;
    return () => {
      // An element's audio can be connected to a graph only once, so the graph must survive a rerun of the effects.
      setTimeout(() => element?.isConnected || sound.current?.close());
    };
  }, [video]);
  useWatching(state === 'playing' && isPossible && !isHidden);
  return { state: isPossible ? state : 'codec', player, sound } as const;
}

function StateText({ state, channel }: { state: PlayerState; channel: Channel }) {
  const { video, audio } = channel.input.media ?? {};
  return (
    <p className={styles.state} role="status" data-state={state}>
      {state === 'loading' && <Trans>Loading</Trans>}
      {state === 'nothing' && <Trans>No video. Retrying...</Trans>}
      {state === 'codec' && <CodecText codec={video?.codec} />}
      {state === 'playing' && video === undefined && audio !== undefined && <Trans>Audio only, no video</Trans>}
    </p>
  );
}

function CodecText({ codec }: { codec: string | undefined }) {
  switch (pictureHindrance(codec)) {
    case 'browser':
      return <Trans>This browser can't play {codecName(codec ?? '')}. The channel itself is not affected.</Trans>;
    case 'preview':
      return <Trans>The preview can't show {codecName(codec ?? '')}. The channel itself is not affected.</Trans>;
    default:
      return <Trans>This browser can't play this channel. The channel itself is not affected.</Trans>;
  }
}

/** Explains why there is no sound although the video plays. */
function SoundText({ media }: Pick<ChannelInput, 'media'>) {
  const codec = media?.audio?.codec;
  const hindrance = soundHindrance(codec);
  if (media !== undefined && codec === undefined) {
    return (
      <p className={styles.sound}>
        <Trans>This stream has no audio.</Trans>
      </p>
    );
  }
  if (codec === undefined || hindrance === undefined || hindrance === 'none') return null;
  return (
    <p className={styles.sound}>
      <Trans>No audio: the preview can't play {codecName(codec)}.</Trans>
    </p>
  );
}

const refreshMs = 500;

interface PlayFactsProps {
  readonly channel: Channel;
  readonly video: React.RefObject<HTMLVideoElement | null>;
  readonly player: React.RefObject<Player | undefined>;
}

/** Resolution and frame rate of the playing video, and its latency. */
function PlayFacts({ channel, video, player }: PlayFactsProps) {
  const { t } = useLingui();
  const format = useFormat();
  const [facts, setFacts] = useState({ size: '', latency: undefined as number | undefined });
  useEffect(() => {
    const timer = setInterval(() => {
      const { videoWidth = 0, videoHeight = 0 } = video.current ?? {};
      const size = videoWidth > 0 ? `${videoWidth}×${videoHeight}` : '';
      setFacts({ size, latency: player.current?.latency() });
    }, refreshMs);
    return () => clearInterval(timer);
  }, [video, player]);
  const fps = channel.input.media?.video?.fps;
  const behind = facts.latency === undefined ? undefined : format.number(facts.latency, 1);
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t`Resolution`}</dt>
        <dd>{facts.size || '–'}</dd>
      </div>
      <div>
        <dt>{t`Frame rate`}</dt>
        <dd>{fps === undefined ? '–' : t`${rateText(fps)} fps`}</dd>
      </div>
      <div>
        <dt>{t`Latency`}</dt>
        <dd>{behind === undefined ? '–' : t`${behind} s`}</dd>
      </div>
    </dl>
  );
}
