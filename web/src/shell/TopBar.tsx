import { useLingui } from '@lingui/react/macro';
import { IconMenu2 } from '@tabler/icons-react';
import { Mark } from '../ui/Mark.tsx';
import { Breadcrumb } from './Breadcrumb.tsx';
import { LanguageMenu } from './LanguageMenu.tsx';
import { SchemeMenu } from './SchemeMenu.tsx';
import styles from './TopBar.module.css';
import { UserMenu } from './UserMenu.tsx';

/** `onOpenMenu` is given where the menu hides in a drawer. */
export function TopBar({ onOpenMenu }: { onOpenMenu: (() => void) | undefined }) {
  const { t } = useLingui();
  return (
    <header className={styles.bar}>
      {onOpenMenu === undefined ? (
        <Breadcrumb />
      ) : (
        <div className={styles.phone}>
          <button type="button" className={styles.button} aria-label={t`Open menu`} onClick={onOpenMenu}>
            <IconMenu2 size={20} aria-hidden />
          </button>
          <Mark size={22} />
        </div>
      )}
      <div className={styles.actions}>
        <LanguageMenu />
        <SchemeMenu />
        <UserMenu />
      </div>
    </header>
  );
}
