import { Trans, useLingui } from '@lingui/react/macro';
import { IconLockOpen } from '@tabler/icons-react';
import { StateMark } from '../../ui/StateMark.tsx';

/** Marks a listener that accepts any peer. */
export function OpenMark() {
  const { t } = useLingui();
  return (
    <span title={t`No stream ID and no passphrase: anyone who reaches this port can connect`}>
      <StateMark tone="warn" icon={IconLockOpen}>
        <Trans>Open</Trans>
      </StateMark>
    </span>
  );
}
