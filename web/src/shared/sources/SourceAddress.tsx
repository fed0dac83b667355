import { Trans, useLingui } from '@lingui/react/macro';
import { IconLockOpen } from '@tabler/icons-react';
import { Address } from '../../ui/data/Address.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import styles from './SourceAddress.module.css';

/** The address of an input or output; `isOpen` marks a listener that accepts any peer. */
export function SourceAddress({ text, isOpen = false }: { text: string; isOpen?: boolean | undefined }) {
  const { t } = useLingui();
  if (!isOpen) return <Address text={text} />;
  return (
    <span className={styles.marked}>
      <Address text={text} />
      <span title={t`No stream ID and no passphrase: anyone who reaches this port can connect`}>
        <StateMark tone="warn" icon={IconLockOpen}>
          <Trans>Open</Trans>
        </StateMark>
      </span>
    </span>
  );
}
