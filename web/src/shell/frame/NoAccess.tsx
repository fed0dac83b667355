import { Trans } from '@lingui/react/macro';
import { IconLock } from '@tabler/icons-react';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';

/** In place of a page that the user may not see. */
export default function NoAccess() {
  return (
    <EmptyState icon={IconLock} title={<Trans>Access denied</Trans>}>
      <Trans>You do not have permission to view this page. Ask an administrator for access.</Trans>
    </EmptyState>
  );
}
