import { Trans } from '@lingui/react/macro';
import { useCallback, useState } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { useSessionEnded } from '../../api/session-end.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { usePhone } from '../../lib/screen.ts';
import { alarmsTopic } from '../../shared/alarms/alarms-query.ts';
import { useTrial } from '../../shared/confirmed-change/trial.ts';
import { systemTopic } from '../../shared/system/system-query.ts';
import { tasksTopic } from '../../shared/tasks/tasks-query.ts';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { Sidebar } from '../menu/Sidebar.tsx';
import { usePaletteKey } from '../palette/usePaletteKey.ts';
import { currentRoute, usePageRoutes } from './page-routes.ts';
import styles from './Shell.module.css';
import { TopBar } from './TopBar.tsx';
import { useWorkNotice } from './useWorkNotice.ts';

const SessionEndedDialog = deferredPart(() => import('../session/SessionEndedDialog.tsx'));
const SessionWatch = deferredPart(() => import('../session/SessionWatch.tsx'));
const TrialCurtain = deferredPart(async () => {
  const [curtain] = await Promise.all([
    import('../../shared/confirmed-change/TrialCurtain.tsx'),
    addTexts('pages'),
    addTexts('appliance'),
  ]);
  return curtain;
});
const KeyHelp = deferredPart(() => import('../palette/KeyHelp.tsx'));
/** Its questions about channels are those of the pages. */
const CommandPalette = deferredPart(async () => {
  const [palette] = await Promise.all([import('../palette/CommandPalette.tsx'), addTexts('pages')]);
  return palette;
});
const MenuDrawer = deferredPart(() => import('../menu/MenuDrawer.tsx'));

/** Dialog name in the URL; no page uses it for its own dialog. */
const paletteName = 'go-to';

/** Menu, top bar and page. */
export function Shell() {
  const isPhone = usePhone();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { name: dialog, open, close } = useDialogAddress();
  const openPalette = useCallback(() => open(paletteName), [open]);
  usePaletteKey(openPalette);
  const hasEnded = useSessionEnded((state) => state.hasEnded);
  const trial = useTrial((state) => state.trial);
  useTopic(systemTopic, true);
  // Of the bell and the tray, which are loaded later.
  useTopic(alarmsTopic, useMay('channelView'));
  useTopic(tasksTopic, true);
  const isAlone = currentRoute(usePageRoutes(), useLocation().pathname)?.isAlone === true;
  useWorkNotice();
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={focusPage}>
        <Trans>Skip to content</Trans>
      </button>
      {!isPhone && !isAlone && <Sidebar onNavigate={undefined} />}
      {isPhone && isMenuOpen && <MenuDrawer onClose={() => setMenuOpen(false)} />}
      <div className={styles.column}>
        {!isAlone && <TopBar onOpenMenu={isPhone ? () => setMenuOpen(true) : undefined} onOpenPalette={openPalette} />}
        <main id="main" className={styles.main}>
          <Outlet />
        </main>
      </div>
      {dialog === paletteName && <CommandPalette onClose={close} />}
      <SessionWatch />
      <KeyHelp />
      {trial !== undefined && <TrialCurtain trial={trial} />}
      {hasEnded && <SessionEndedDialog />}
    </div>
  );
}

/** A button, because a fragment link would change the address, which the router controls. */
function focusPage() {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
