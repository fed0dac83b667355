import { Trans } from '@lingui/react/macro';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Outlet } from 'react-router-dom';
import { useTopic } from '../api/live.ts';
import { useSessionEnded } from '../api/session-end.ts';
import { useDialogAddress } from '../ui/dialog-address.ts';
import styles from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { phone } from './screen.ts';
import { TopBar } from './TopBar.tsx';
import { usePaletteKey } from './usePaletteKey.ts';

const SessionEndedDialog = lazy(() => import('./SessionEndedDialog.tsx'));
const SessionWatch = lazy(() => import('./SessionWatch.tsx'));
const KeyHelp = lazy(() => import('./KeyHelp.tsx'));
const CommandPalette = lazy(() => import('./CommandPalette.tsx'));
const MenuDrawer = lazy(() => import('./MenuDrawer.tsx'));

/** In the address; no page has a dialog of that name. */
const paletteName = 'go-to';

/** Menu, top bar and the page. */
export function Shell() {
  const isPhone = useMediaQuery(phone) ?? false;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { name: dialog, open, close } = useDialogAddress();
  const openPalette = useCallback(() => open(paletteName), [open]);
  usePaletteKey(openPalette);
  const hasEnded = useSessionEnded((state) => state.hasEnded);
  useTopic('system', true);
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={focusPage}>
        <Trans>Skip to content</Trans>
      </button>
      {!isPhone && <Sidebar onNavigate={undefined} />}
      {isPhone && isMenuOpen && (
        <Suspense fallback={null}>
          <MenuDrawer onClose={() => setMenuOpen(false)} />
        </Suspense>
      )}
      <div className={styles.column}>
        <TopBar onOpenMenu={isPhone ? () => setMenuOpen(true) : undefined} onOpenPalette={openPalette} />
        <main id="main" className={styles.main}>
          <Outlet />
        </main>
      </div>
      {dialog === paletteName && (
        <Suspense fallback={null}>
          <CommandPalette onClose={close} />
        </Suspense>
      )}
      <Suspense fallback={null}>
        <SessionWatch />
        <KeyHelp />
        {hasEnded && <SessionEndedDialog />}
      </Suspense>
    </div>
  );
}

/** A button, because a link to the page's part would change the address, which belongs to the router. */
function focusPage() {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
