import { i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { I18nProvider } from '@lingui/react';
import { Trans } from '@lingui/react/macro';
import { IconHourglassHigh } from '@tabler/icons-react';
import { createRoot } from 'react-dom/client';
import { addTexts } from '../../i18n/i18n.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Curtain } from '../../ui/overlay/Curtain.tsx';
import { confirmArrival, readArrival } from './arrival.ts';
import { prepareReach, watchReach } from './reach.ts';

/** Confirms the change for which this page was opened. Until then `root` shows what it waits for. */
export async function arrive(root: HTMLElement): Promise<void> {
  const arrival = readArrival(location.hash, location.hostname);
  if (arrival === undefined) return;
  const { token, from, hash } = arrival;
  history.replaceState(history.state, '', hash);
  await addTexts('appliance');
  const note = createRoot(root);
  prepareReach();
  let stopReaching = () => {};
  let isSilent = false;
  const isTaken = await confirmArrival(token, () => {
    if (isSilent) return;
    isSilent = true;
    note.render(
      <I18nProvider i18n={i18n}>
        <Confirming />
      </I18nProvider>,
    );
    // The hub has returned there if it answers.
    if (from !== undefined) stopReaching = watchReach([from], () => location.replace(`${from}/${hash}`));
  });
  stopReaching();
  note.unmount();
  if (isTaken) showToast('success', i18n._(msg`The change is confirmed. The console stays at this address.`), 'trial');
  else showToast('error', i18n._(msg`The change was not confirmed here: it was confirmed or undone before.`), 'trial');
}

function Confirming() {
  return (
    <Curtain titleId="confirming-title">
      <IconHourglassHigh size={30} stroke={1.4} aria-hidden />
      <h2 id="confirming-title">
        <Trans>Confirming the change</Trans>
      </h2>
      <p>
        <Trans>
          The hub does not answer at this address at the moment. This page keeps trying here and at the previous one.
        </Trans>
      </p>
    </Curtain>
  );
}
