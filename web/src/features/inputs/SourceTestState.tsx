import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { SourceTest } from '../../../../daemon/contract/inputs.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { pictureText, soundText } from '../../shared/streams/media-text.ts';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { useMediaFacts } from '../../shared/streams/useMediaFacts.ts';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { remedyText } from './remedy-text.ts';
import styles from './SourceTestState.module.css';
import type { SourceTestRun } from './useSourceTest.ts';

/** A running test with a cancel button, or its result. */
export function SourceTestState({ run: { state, cancel } }: { run: SourceTestRun }) {
  const element = useRef<HTMLDivElement>(null);
  const { is } = state;
  useEffect(() => {
    // In a long dialog the button is in view, but not always what it starts.
    if (is !== 'idle') element.current?.scrollIntoView({ block: 'nearest' });
  }, [is]);
  return (
    <div ref={element} className={styles.state} role="status" data-is={is}>
      {state.is === 'running' && (
        <>
          <p>
            <Trans>The hub opens the source. This takes up to 10 s.</Trans>
          </p>
          <div className={styles.progress} aria-hidden>
            <div />
          </div>
          <Button size="xs" variant="default" onClick={cancel}>
            <Trans>Cancel test</Trans>
          </Button>
        </>
      )}
      {state.is === 'done' && <Outcome outcome={state.outcome} />}
      {state.is === 'failed' && (
        <FormFault>
          <FaultText error={state.error} />
        </FormFault>
      )}
    </div>
  );
}

function Outcome({ outcome }: { outcome: SourceTest }) {
  const { t, i18n } = useLingui();
  const mediaFacts = useMediaFacts(outcome.found ? outcome.media : undefined);
  if (outcome.found) {
    const { video, audio } = outcome.media;
    return (
      <>
        <StateMark tone="live" icon={IconCircleCheck}>
          <Trans>Receiving</Trans>
        </StateMark>
        <Facts
          facts={[
            { name: t`Video`, value: pictureText(video) ?? t`No video` },
            { name: t`Audio`, value: soundText(audio) ?? t`No audio` },
            ...mediaFacts,
          ]}
        />
      </>
    );
  }
  const look = connectionLook(outcome['conn-state']);
  return (
    <>
      <StateMark tone="fault" icon={look.icon}>
        {i18n._(look.text)}
      </StateMark>
      <p>
        <span className={styles.reason}>{reasonText(i18n, outcome.reason)}</span>
        <span>{remedyText(i18n, outcome.reason)}</span>
      </p>
    </>
  );
}
