import { Trans } from '@lingui/react/macro';
import { IconDeviceTv } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';

/** Where the device has reported nothing that could be shown. */
export function NothingKnown() {
  return (
    <EmptyState icon={IconDeviceTv} title={<Trans>Nothing is known yet</Trans>}>
      <Trans>The device has not reported this, or cannot.</Trans>
    </EmptyState>
  );
}
