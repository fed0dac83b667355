import { useLingui } from '@lingui/react/macro';
import type { Channel, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { previewIdOf } from '../../../../../daemon/contract/preview-stream.ts';
import { partTitle } from '../../../i18n/part-text.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { codecName } from '../../../shared/streams/media-text.ts';
import { useSystem } from '../../../shared/system/system-query.ts';
import styles from './FailoverCards.module.css';
import { isConnected } from './useSwitchInput.ts';

const ThumbnailPicture = deferredPart(() => import('../../../shared/preview/ThumbnailPicture.tsx'));
const shownCodecs: readonly string[] = ['h264', 'hevc'];

interface InputPictureProps {
  readonly channel: Channel;
  readonly input: ChannelInput;
}

/** The current picture of one input, on air or not; the reason in a box of the same size if there is none. */
export function InputPicture({ channel, input }: InputPictureProps) {
  const { t } = useLingui();
  const { role } = input;
  const lack = useLack(input);
  const alt = role === 'backup' ? t`Picture of the backup` : t`Picture of the main input`;
  return (
    <div className={styles.picture}>
      <p className={styles.none}>{lack ?? t`Waiting for the next keyframe`}</p>
      {lack === undefined && role !== 'slate' && <ThumbnailPicture imageId={previewIdOf(channel.id, role)} alt={alt} />}
    </div>
  );
}

/** Why there can be no picture; undefined if there can be one. */
function useLack(input: ChannelInput): string | undefined {
  const { t, i18n } = useLingui();
  const ffmpeg = useSystem()?.parts.find(({ name, ok }) => name === 'ffmpeg' && !ok);
  if (!isConnected(input)) return t`No signal`;
  if (ffmpeg !== undefined) return partTitle(i18n, ffmpeg);
  const { media } = input;
  if (media === undefined) return undefined;
  if (media.video === undefined) return t`No video`;
  const { codec } = media.video;
  return shownCodecs.includes(codec) ? undefined : t`No thumbnails for ${codecName(codec)}`;
}
