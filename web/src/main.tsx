import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { HashRouter } from 'react-router-dom';
import { App } from './App.tsx';
import { firstSetupState } from './api/first-answers.ts';
import { startFirstLoad } from './first-load.ts';
import { activateLocale, preferredLocale } from './i18n/i18n.ts';
import { loadPart } from './lib/lazy-part.tsx';
import { confirmTokenName } from './lib/paths.ts';
import { watchHistory } from './shell/frame/LeaveGuard.tsx';
import { ThemeProvider } from './theme/ThemeProvider.tsx';
import { trackFocus } from './ui/overlay/focus-return.ts';

/** Maximum wait for the hub's language; nothing is shown before. */
const hubAnswerMs = 2000;

/** Undefined if the hub does not respond in time; the page then shows that it is unreachable. */
async function hubLanguage(): Promise<string | undefined> {
  try {
    return (await firstSetupState.ask(AbortSignal.timeout(hubAnswerMs))).language;
  } catch {
    return undefined;
  }
}

/** This page was opened to confirm a change of the hub's settings. */
async function confirmFirst(root: HTMLElement): Promise<void> {
  await activateLocale(await preferredLocale(hubLanguage));
  const { arrive } = await loadPart(() => import('./shared/confirmed-change/arrive.tsx'));
  await arrive(root);
}

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root');
  // It gets its session by this, so it comes before the first call that needs one.
  if (location.hash.includes(`${confirmTokenName}=`)) await confirmFirst(root);
  const isPageKnown = startFirstLoad();
  await activateLocale(await preferredLocale(hubLanguage));
  await isPageKnown;
  trackFocus();
  watchHistory();
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <ThemeProvider>
          <HashRouter>
            <App />
          </HashRouter>
        </ThemeProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

void start();
