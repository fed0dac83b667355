import { Trans, useLingui } from '@lingui/react/macro';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { previewIdOf, previewPlaylistPath } from '../../../../daemon/contract/preview-stream.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from './LivePanel.module.css';

const loadPlayer = () => import('../../shared/preview/PreviewPlayer.tsx');
const ThumbnailPicture = deferredPart(() => import('../../shared/preview/ThumbnailPicture.tsx'));
const PreviewPlayer = deferredPart(loadPlayer);

interface LivePanelProps {
  readonly channel: Channel;
  /** The open player has an address, like a dialog. */
  readonly dialog: DialogAddress;
}

/** The current picture of a channel, which becomes the player in place. */
export function LivePanel({ channel, dialog }: LivePanelProps) {
  const { t } = useLingui();
  const { id, name, state } = channel;
  const hasPicture = isOnAir(state);
  const isPlaying = hasPicture && dialog.name === 'preview';
  const button = useRef<HTMLButtonElement>(null);
  const wasPlaying = useRef(false);
  useEffect(() => {
    if (wasPlaying.current && !isPlaying) button.current?.focus();
    wasPlaying.current = isPlaying;
  }, [isPlaying]);
  const picture = <ThumbnailPicture imageId={previewIdOf(id)} alt={t`Picture of ${name}`} />;
  return (
    <Panel title={<Trans>Preview</Trans>}>
      {isPlaying ? (
        <PreviewPlayer channel={channel} behind={picture} onClose={dialog.close} />
      ) : (
        <div className={styles.screen}>
          {hasPicture ? (
            <>
              {picture}
              <button
                ref={button}
                type="button"
                className={styles.play}
                onPointerEnter={() => openSoon(id)}
                onClick={() => dialog.open('preview')}
              >
                <IconPlayerPlayFilled size={18} aria-hidden />
                <Trans>Preview</Trans>
              </button>
            </>
          ) : (
            <p className={styles.none}>
              <Trans>No picture while nothing is on air</Trans>
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}

/** Prepares a preview that is about to open: loads the player and makes the hub start segmenting the stream. */
function openSoon(channelId: number): void {
  loadPlayer().catch(() => undefined);
  fetch(previewPlaylistPath(channelId)).catch(() => undefined);
}
