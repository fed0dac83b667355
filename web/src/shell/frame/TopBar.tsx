import { useLingui } from '@lingui/react/macro';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Mark } from '../../ui/layout/Mark.tsx';
import { LanguageMenu } from '../menu/LanguageMenu.tsx';
import { SchemeMenu } from '../menu/SchemeMenu.tsx';
import { UserMenu } from '../menu/UserMenu.tsx';
import { Breadcrumb } from './Breadcrumb.tsx';
import styles from './TopBar.module.css';

const AlarmBell = deferredPart(() => import('../alarms/AlarmBell.tsx'));
const TaskTray = deferredPart(() => import('../tasks/TaskTray.tsx'));

interface TopBarProps {
  /** Defined if the menu is in a drawer. */
  readonly onOpenMenu: (() => void) | undefined;
  readonly onOpenPalette: () => void;
}

export function TopBar({ onOpenMenu, onOpenPalette }: TopBarProps) {
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
        <TaskTray />
        <AlarmBell />
        <button
          type="button"
          className={styles.button}
          aria-haspopup="dialog"
          aria-label={t`Go to`}
          aria-keyshortcuts="Control+K Meta+K"
          title={t`Go to`}
          onClick={onOpenPalette}
        >
          <IconSearch size={17} stroke={1.7} aria-hidden />
        </button>
        <LanguageMenu />
        <SchemeMenu />
        <UserMenu />
      </div>
    </header>
  );
}
