import { Trans, useLingui } from '@lingui/react/macro';
import { Menu } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../api/session.ts';
import { signOut } from '../features/auth/auth-calls.ts';
import { faultText } from '../i18n/result-text.ts';
import { paths } from '../paths.ts';
import { showToast } from '../ui/toasts.ts';
import styles from './TopBar.module.css';

export function UserMenu() {
  const { i18n, t } = useLingui();
  const user = useSession();
  const navigate = useNavigate();
  const leave = () =>
    signOut().then(
      () => navigate(paths.signIn),
      (error: unknown) => showToast('error', faultText(i18n, error)),
    );
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={styles.button} aria-label={t`Account of ${user.name}`}>
          <IconUserCircle size={18} stroke={1.6} aria-hidden />
          <span className={styles.userName}>{user.name}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Trans>
            {user.name}, group {user['group-name']}
          </Trans>
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.7} aria-hidden />} onClick={() => void leave()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
