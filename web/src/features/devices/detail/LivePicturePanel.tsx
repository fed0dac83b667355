import { Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconDeviceSdCard, IconPlayerRecordFilled } from '@tabler/icons-react';
import { deviceStatusBits } from '../../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { devicePreviewId, previewIdOf } from '../../../../../daemon/contract/preview-stream.ts';
import { useMay } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { StateMark } from '../../../ui/data/StateMark.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import styles from './LivePicturePanel.module.css';
import type { Details } from './OverviewTab.tsx';

const ThumbnailPicture = deferredPart(() => import('../../../shared/preview/ThumbnailPicture.tsx'));

interface LivePicturePanelProps {
  readonly device: Device;
  readonly details: Details | undefined;
}

/** What the device sees or shows, and whether it streams and records. */
export function LivePicturePanel({ device, details }: LivePicturePanelProps) {
  const { t } = useLingui();
  const isOnline = device.connection === 'online';
  const maySee = useMay('channelView');
  const [channelId] = device['owner-o-d'] ?? [];
  const [channelName = ''] = device['owner-o'] ?? [];
  return (
    <Panel title={<Trans>Live picture</Trans>} aside={<Marks device={device} details={details} />} isFlush>
      <div className={styles.screen}>
        {/* Behind the picture, which covers it. */}
        <p className={styles.none}>
          <Why device={device} />
        </p>
        {isOnline && channelId !== undefined && maySee && <ChannelPicture id={channelId} name={channelName} />}
        {isOnline && <ThumbnailPicture imageId={devicePreviewId(device.sn)} alt={t`Picture of ${device.name}`} />}
      </div>
    </Panel>
  );
}

function Why({ device: { connection, 'picture-problem': problem } }: { device: Device }) {
  if (connection !== 'online') return <Trans>No picture while the device is not online</Trans>;
  return problem === 'none' ? (
    <Trans>This device has no picture</Trans>
  ) : (
    <Trans>The device delivers no picture at present</Trans>
  );
}

/** Of the channel that a decoder plays: most decoders have no picture of their own, which would cover this one. */
function ChannelPicture({ id, name }: { id: number; name: string }) {
  const { t } = useLingui();
  return (
    <div className={styles.channel}>
      <ThumbnailPicture imageId={previewIdOf(id)} alt={t`Picture of ${name}`} />
      <span className={styles.caption}>
        <Trans>Picture of the channel “{name}”</Trans>
      </span>
    </div>
  );
}

function Marks({ device, details }: LivePicturePanelProps) {
  const { t } = useLingui();
  const status = device.status['cur-status'];
  const signal = device.connection === 'online' ? details?.facts?.signal?.state : undefined;
  return (
    <span className={styles.marks}>
      {signal === 'none' && (
        <StateMark tone="warn" icon={IconAlertTriangle} isProminent>
          {t`No signal`}
        </StateMark>
      )}
      {signal === 'unsupported' && (
        <StateMark tone="warn" icon={IconAlertTriangle} isProminent>
          {t`Signal not supported`}
        </StateMark>
      )}
      {(status & deviceStatusBits.living) !== 0 && (
        <StateMark tone="live" icon={IconPlayerRecordFilled} isProminent>
          {t`Live`}
        </StateMark>
      )}
      {(status & deviceStatusBits.recording) !== 0 && (
        <StateMark tone="fault" icon={IconDeviceSdCard} isProminent>
          {t`Recording`}
        </StateMark>
      )}
    </span>
  );
}
