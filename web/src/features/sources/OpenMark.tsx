import { Trans, useLingui } from '@lingui/react/macro';
import { IconLockOpen } from '@tabler/icons-react';
import { StateMark } from '../../ui/StateMark.tsx';

/** At an address that takes in whoever reaches its port. */
export function OpenMark() {
  const { t } = useLingui();
  return (
    <span title={t`Without stream ID and passphrase: whoever reaches this port gets in`}>
      <StateMark tone="warn" icon={IconLockOpen}>
        <Trans>Open</Trans>
      </StateMark>
    </span>
  );
}
