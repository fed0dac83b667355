import { Trans } from '@lingui/react/macro';
import { useMediaQuery } from '@mantine/hooks';
import { Suspense, useCallback, useState } from 'react';
import { Outlet } from 'react-router-dom';
import { useTopic } from '../api/live.ts';
import { useSessionEnded } from '../api/session-end.ts';
import { lazyPart } from '../lib/lazy-part.ts';
import { useDialogAddress } from '../ui/dialog-address.ts';
import styles from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { phone } from './screen.ts';
import { TopBar } from './TopBar.tsx';
import { usePaletteKey } from './usePaletteKey.ts';

const SessionEndedDialog = lazyPart(() => import('./SessionEndedDialog.tsx'));
const SessionWatch = lazyPart(() => import('./SessionWatch.tsx'));
const KeyHelp = lazyPart(() => import('./KeyHelp.tsx'));
const CommandPalette = lazyPart(() => import('./CommandPalette.tsx'));
const MenuDrawer = lazyPart(() => import('./MenuDrawer.tsx'));

/** Dialog name in the URL; no page uses it for its own dialog. */
const paletteName = 'go-to';

/** Menu, top bar and page. */
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

/** A button, because a fragment link would change the address, which the router controls. */
function focusPage() {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
