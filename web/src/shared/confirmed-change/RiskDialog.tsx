import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import styles from './RiskDialog.module.css';
import { prepareReach } from './reach.ts';
import { applyRisky, type Risk, trialSeconds } from './risk.ts';
// Covers the page during the change, when nothing can be loaded.
import './TrialCurtain.tsx';

interface RiskDialogProps {
  readonly risk: Risk;
  readonly onClose: () => void;
}

/** Says what a change that may cut off its user does, and how it is undone. Without that safety net it asks twice. */
export default function RiskDialog({ risk, onClose }: RiskDialogProps) {
  const { t } = useLingui();
  useEffect(prepareReach, []);
  const [isFinal, setFinal] = useState(false);
  const [isAskedAgain, setAskedAgain] = useState(false);
  const apply = useMutation({ mutationFn: () => applyRisky(risk, isFinal), onSuccess: onClose });
  const title = isAskedAgain ? t`Apply without a safety net?` : risk.title;
  return (
    <Dialog title={title} onClose={onClose} size={520}>
      <Stack gap="md">
        {isAskedAgain ? (
          <p>
            <Trans>
              This change is not undone automatically. If the console cannot be reached afterwards, only someone at the
              hub can bring it back.
            </Trans>
          </p>
        ) : (
          <>
            <Consequences risk={risk} isFinal={isFinal} />
            <Checkbox
              label={t`Apply without a safety net`}
              description={t`To prepare a hub for another network: the change stays, even if it cuts you off.`}
              checked={isFinal}
              onChange={({ currentTarget }) => setFinal(currentTarget.checked)}
            />
          </>
        )}
        {apply.error !== null && <ActFault error={apply.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={isAskedAgain ? () => setAskedAgain(false) : onClose} data-autofocus>
            {isAskedAgain ? <Trans>Back</Trans> : <Trans>Cancel</Trans>}
          </Button>
          <Button
            {...(isFinal && { color: 'fault' })}
            loading={apply.isPending}
            onClick={() => (isFinal && !isAskedAgain ? setAskedAgain(true) : apply.mutate())}
          >
            {isFinal ? <Trans>Apply without a safety net</Trans> : <Trans>Try the change</Trans>}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Consequences({ risk, isFinal }: { risk: Risk; isFinal: boolean }) {
  return (
    <>
      <ul className={styles.changes}>
        {risk.changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <dl className={styles.places}>
        <div>
          <dt>
            <Trans>The console now</Trans>
          </dt>
          <dd>
            <code>{location.origin}/</code>
            <span>{risk.now}</span>
          </dd>
        </div>
        <div>
          <dt>
            <Trans>After the change</Trans>
          </dt>
          <dd>
            <Next next={risk.next} />
          </dd>
        </div>
      </dl>
      <Banner
        tone={isFinal ? 'warn' : 'info'}
        title={isFinal ? <FinalTitle /> : <TrialTitle seconds={trialSeconds(risk)} />}
      >
        {!isFinal && <TrialText next={risk.next} />}
      </Banner>
    </>
  );
}

function Next({ next }: Pick<Risk, 'next'>): ReactNode {
  if (next === 'same') return <Trans>the same address</Trans>;
  if (next === 'unknown') return <Trans>an address that a DHCP server assigns</Trans>;
  if (next === 'proxied') return <Trans>the same address, if the proxy uses the new port as well</Trans>;
  return next.map((address) => <code key={address}>{address}</code>);
}

function FinalTitle() {
  return <Trans>The hub does not return to the current settings by itself</Trans>;
}

function TrialTitle({ seconds }: { seconds: number }) {
  return <Trans>The hub tries the change for {seconds} seconds</Trans>;
}

function TrialText({ next }: Pick<Risk, 'next'>) {
  if (next === 'proxied') {
    return (
      <Trans>
        If the page still works after the change, keep it there. Otherwise the hub returns to the current settings.
      </Trans>
    );
  }
  return next === 'unknown' ? (
    <Trans>
      Open the console at its new address, sign in and keep the change. Otherwise the hub returns to the current
      settings, also after a loss of power.
    </Trans>
  ) : (
    <Trans>
      This page confirms it by itself if it reaches the hub afterwards. Otherwise the hub returns to the current
      settings, also after a loss of power.
    </Trans>
  );
}
