import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowBackUp, IconHourglassHigh, IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { connection, useConnection } from '../../api/connection.ts';
import { queryClient } from '../../api/query-client.ts';
import { useNow } from '../../ui/data/useNow.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { releaseForms } from '../../ui/form/unsaved.ts';
import { Curtain } from '../../ui/overlay/Curtain.tsx';
import { outcomeText } from './outcome-text.ts';
import { watchReach } from './reach.ts';
import styles from './TrialCurtain.module.css';
import { arrivalLink, endTrial, staysHere, type Trial } from './trial.ts';
import { askTrial, cancelTrial, confirmTrial } from './trial-calls.ts';
import { createTrialWatch, type TrialView } from './trial-watch.ts';

const everyMs = 1000;
const titleId = 'trial-title';

/** Covers the page from which a risky change was made until it is clear how the change ended. */
export default function TrialCurtain({ trial }: { trial: Trial }) {
  const { t } = useLingui();
  const view = useTrialView(trial);
  const isKept = view.phase === 'ended' && view.outcome === 'confirmed';
  useEffect(() => {
    if (!isKept) return;
    showToast('success', t`The change is confirmed.`, 'trial');
    leaveTrial();
  }, [isKept, t]);
  switch (view.phase) {
    case 'trying':
      return <Trying trial={trial} answers={view.answers} />;
    case 'lost':
      return <Lost trial={trial} />;
    case 'ended':
      return isKept ? null : <Undone view={view} />;
  }
}

/** Looks every second, and goes to the new address as soon as the hub answers there. */
function useTrialView(trial: Trial): TrialView {
  const [view, setView] = useState<TrialView>({ phase: 'trying', answers: undefined });
  const { pathname, search } = useLocation();
  const path = `${pathname}${search}`;
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopReaching: (() => void) | undefined;
    const reachElsewhere = () => {
      const elsewhere = trial.addresses.filter((address) => !staysHere({ addresses: [address] }, location.origin));
      stopReaching ??= watchReach(elsewhere, (address) => {
        if (isOver) return;
        isOver = true;
        releaseForms();
        location.assign(arrivalLink({ address, token: trial.token, from: location.origin, path }));
      });
    };
    const look = createTrialWatch({
      ...{ trial, origin: location.origin, now: Date.now },
      ask: () => askTrial(trial),
      confirm: () => confirmTrial(trial),
      onView(next) {
        if (isOver) return;
        isOver = next.phase === 'ended';
        setView(next);
        // The address was expected to stay.
        if (next.phase === 'lost' || (next.phase === 'trying' && next.answers === false)) reachElsewhere();
      },
    });
    const lookAgain = async () => {
      await look();
      if (!isOver) timer = setTimeout(() => void lookAgain(), everyMs);
    };
    void lookAgain();
    if (!staysHere(trial, location.origin)) reachElsewhere();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stopReaching?.();
    };
  }, [trial, path]);
  useEffect(() => {
    useConnection.setState({ isExplained: true });
    return () => useConnection.setState({ isExplained: false });
  }, []);
  return view;
}

/** Continues with the settings that the hub has now. */
function leaveTrial(): void {
  endTrial();
  if (useConnection.getState().isLost) connection.tryNow();
  else void queryClient.invalidateQueries();
}

function Trying({ trial, answers }: { trial: Trial; answers: boolean | undefined }) {
  const { t } = useLingui();
  const now = useNow(250);
  const left = Math.max(0, Math.ceil((trial.endsAt - now) / 1000));
  const undo = useMutation({ mutationFn: () => cancelTrial() });
  return (
    <Curtain titleId={titleId}>
      <IconHourglassHigh size={30} stroke={1.4} aria-hidden />
      <h2 id={titleId}>
        <Trans>The new settings are being tried</Trans>
      </h2>
      <p>
        {left > 0 ? (
          <Trans>
            Unless this is confirmed within <Plural value={left} one="# second" other="# seconds" />, the hub returns to
            the previous settings.
          </Trans>
        ) : (
          <Trans>The time is over. The hub returns to the previous settings.</Trans>
        )}
      </p>
      <progress
        className={styles.bar}
        aria-label={t`Time left`}
        value={Math.max(0, trial.endsAt - now)}
        max={trial.endsAt - trial.beganAt}
      />
      <Addresses trial={trial} answers={answers} />
      {undo.error !== null && <ActFault error={undo.error} />}
      {trial.token !== undefined && (
        <Button
          variant="default"
          loading={undo.isPending}
          disabled={answers !== true || left === 0}
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          onClick={() => undo.mutate()}
        >
          <Trans>Undo now</Trans>
        </Button>
      )}
    </Curtain>
  );
}

/** Where the console was and where it will be. */
function Addresses({ trial, answers }: { trial: Trial; answers: boolean | undefined }) {
  const { pathname, search } = useLocation();
  const path = `${pathname}${search}`;
  const isChecked = location.protocol === 'https:';
  if (staysHere(trial, location.origin)) {
    return (
      <>
        <p role="status">
          <Trans>The address of this console stays the same. It confirms by itself as soon as the hub answers.</Trans>
        </p>
        {isChecked && answers === false && <LoadAgain />}
      </>
    );
  }
  if (trial.addresses.length === 0) {
    return (
      <p role="status">
        {trial.kind === 'wifi' ? (
          <Trans>
            The hub gets an address from the DHCP server of the network that it joins. Find it in the lease list there,
            open the console from a device in the same network, sign in and keep the change.
          </Trans>
        ) : (
          <Trans>
            The new address is not known yet. Find it in the list of your DHCP server, open the console there, sign in
            and keep the change.
          </Trans>
        )}
      </p>
    );
  }
  return (
    <>
      <dl className={styles.addresses}>
        <div>
          <dt>
            <Trans>New address</Trans>
          </dt>
          {trial.addresses.map((address) => (
            <dd key={address}>
              <a
                href={arrivalLink({ address, token: trial.token, from: location.origin, path })}
                target="_blank"
                rel="noreferrer"
              >
                {address}
              </a>
            </dd>
          ))}
        </div>
        <div>
          <dt>
            <Trans>Previous address</Trans>
          </dt>
          <dd>
            {location.origin}/
            <span role="status" className={styles.answers}>
              {answers === false && <Trans>no longer answers</Trans>}
            </span>
          </dd>
        </div>
      </dl>
      <p className={styles.hint}>
        {isChecked ? (
          <Trans>
            Open the new address now: it opens in another tab, where the browser may warn about the certificate once.
          </Trans>
        ) : (
          <Trans>This page goes to the new address by itself as soon as the hub answers there.</Trans>
        )}
      </p>
    </>
  );
}

/** Reloads the page: browsers let users accept a certificate only while they load a page. */
function LoadAgain() {
  return (
    <>
      <p role="alert">
        <Trans>
          The browser may not trust the certificate. Load the page again to accept it; the page then confirms the
          change.
        </Trans>
      </p>
      <Button
        onClick={() => {
          releaseForms();
          location.reload();
        }}
      >
        <Trans>Load the page again</Trans>
      </Button>
    </>
  );
}

function Lost({ trial }: { trial: Trial }) {
  return (
    <Curtain titleId={titleId}>
      <IconPlugConnectedX size={32} stroke={1.4} data-tone="fault" aria-hidden />
      <h2 id={titleId}>
        <Trans>The hub does not answer</Trans>
      </h2>
      <p>
        <Trans>
          It answers neither here nor at the new address. It returns to the previous settings by itself, also after a
          loss of power. This page continues as soon as it does.
        </Trans>
      </p>
      <p>
        <Trans>
          If you confirmed the change in another tab, close this one. Otherwise check the cable and the power.
        </Trans>
      </p>
      <Addresses trial={trial} answers={false} />
    </Curtain>
  );
}

function Undone({ view }: { view: Extract<TrialView, { phase: 'ended' }> }) {
  const { i18n } = useLingui();
  return (
    <Curtain titleId={titleId}>
      <IconArrowBackUp size={32} stroke={1.4} data-tone="warn" aria-hidden />
      <h2 id={titleId}>
        <Trans>The previous settings are back</Trans>
      </h2>
      <p role="alert">{outcomeText(i18n, view)}</p>
      <Button onClick={leaveTrial} data-autofocus>
        <Trans>Continue</Trans>
      </Button>
    </Curtain>
  );
}
