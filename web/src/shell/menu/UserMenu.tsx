import { Trans, useLingui } from '@lingui/react/macro';
import { IconKeyboard, IconLock, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { faultText } from '../../i18n/result-text.ts';
import { paths } from '../../lib/paths.ts';
import { signOut } from '../../shared/password/auth-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { askToDiscard } from '../../ui/form/ask-to-discard.ts';
import { hasUnsaved } from '../../ui/form/unsaved.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { keySheetName, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from '../frame/TopBar.module.css';

export function UserMenu() {
  const { i18n, t } = useLingui();
  const user = useSession();
  const navigate = useNavigate();
  const dialog = useDialogAddress();
  const group = groupName(i18n, user.type, user['group-name']);
  const leave = () => signOut().catch((error: unknown) => showToast('error', faultText(i18n, error)));
  const askAndLeave = () => (hasUnsaved() ? askToDiscard(i18n, leave) : void leave());
  return (
    <DropMenu
      label={t`Account of ${user.name}`}
      triggerClassName={styles.button}
      trigger={
        <>
          <IconUserCircle size={18} stroke={1.6} aria-hidden />
          <span className={styles.userName}>{user.name}</span>
        </>
      }
      note={
        <Trans>
          {user.name}, group {group}
        </Trans>
      }
      items={() => [
        { key: 'profile', text: t`Profile`, icon: IconUserCircle, onSelect: () => void navigate(paths.profile) },
        {
          ...{ key: 'password', text: t`Change password`, icon: IconLock },
          onSelect: () => void navigate(`${paths.profile}?dialog=password`),
        },
        { key: 'keyboard', text: t`Keyboard`, icon: IconKeyboard, onSelect: () => dialog.open(keySheetName) },
        { key: 'sign-out', text: t`Sign out`, icon: IconLogout, onSelect: askAndLeave },
      ]}
    />
  );
}
