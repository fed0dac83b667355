import { useLingui } from '@lingui/react/macro';
import type { ChannelNdiState } from '../../../../daemon/contract/channels.ts';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import styles from './ChannelDetailPage.module.css';
import { connectionReasonText } from './connection-reason.ts';

/** The channel's own NDI source: its name, and whether it is discoverable. */
export function NdiLine({ ndi }: { ndi: ChannelNdiState }) {
  const { t, i18n } = useLingui();
  const look = connectionLook(ndi['conn-state']);
  const reason = connectionReasonText(i18n, { protocol: protocolBits.ndi, reason: ndi.reason });
  return (
    <>
      <CopyLine label={t`NDI source`} text={ndi.name} />
      <p className={styles.note}>
        <LookMark look={look} /> {reason}
      </p>
    </>
  );
}
