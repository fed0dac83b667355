import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { BrowserPanel } from './BrowserPanel.tsx';
import { SessionList } from './SessionList.tsx';

const PasswordDialog = deferredPart(() => import('./PasswordDialog.tsx'));

export default function ProfilePage() {
  const { i18n, t } = useLingui();
  const user = useSession();
  const dialog = useDialogAddress();
  return (
    <>
      <PageHeader title={t`Profile`} />
      <Stack gap={14} maw={860}>
        <Panel
          title={<Trans>Account</Trans>}
          aside={
            <Button size="xs" variant="default" onClick={() => dialog.open('password')}>
              <Trans>Change password</Trans>
            </Button>
          }
        >
          <Facts
            facts={[
              { name: t`Username`, value: user.name },
              { name: t`Group`, value: groupName(i18n, user.type, user['group-name']) },
            ]}
          />
        </Panel>
        <BrowserPanel />
        <SessionList />
      </Stack>
      {dialog.name === 'password' && <PasswordDialog onClose={dialog.close} />}
    </>
  );
}
