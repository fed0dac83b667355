import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { LaterChange } from '../../../../daemon/contract/logs.ts';
import type { CallError } from '../../lib/call-error.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { Edit } from '../../ui/form/useEditedForm.ts';
import { detailText, operationText } from '../operations/operation-text.ts';
import styles from './StaleNote.module.css';

interface StaleNoteProps {
  readonly error: CallError;
  readonly edit: Edit;
}

/** Another user saved first: shows who changed what and two options. The typed values stay until one is chosen. */
export default function StaleNote({ error, edit }: StaleNoteProps) {
  const { later, params } = error;
  const revision = Number(params.revision);
  const { by } = params;
  return (
    <div role="alert" className={styles.note}>
      <Banner
        tone="warn"
        title={by ? <Trans>{by} has changed it meanwhile</Trans> : <Trans>It was changed meanwhile</Trans>}
      >
        {later.map((change) => (
          <Change key={change.time + change.detail} change={change} />
        ))}
      </Banner>
      <div className={styles.ways}>
        <Button variant="default" size="xs" onClick={() => edit.discard(revision)}>
          <Trans>Discard mine and load theirs</Trans>
        </Button>
        {/* Saves the typed values again, now based on the revision that the note names. */}
        <Button type="submit" variant="default" size="xs" onClick={() => edit.accept(revision)}>
          <Trans>Overwrite with mine</Trans>
        </Button>
      </div>
    </div>
  );
}

function Change({ change }: { change: LaterChange }) {
  const { i18n } = useLingui();
  const act = operationText(i18n, change);
  const detail = detailText(i18n, change);
  return (
    <span className={styles.change}>
      <Moment time={change.time} /> {change.user} · {act} · {detail}
    </span>
  );
}
