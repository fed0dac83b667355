import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { LaterChange } from '../../../../daemon/contract/logs.ts';
import { sessionQuery } from '../../api/session.ts';
import type { CallError } from '../../lib/call-error.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { detailText, operationText } from '../operations/operation-text.ts';
import styles from './StaleNote.module.css';

/** Another user saved first: shows who changed what. The typed values stay until one of `StaleButtons` is chosen. */
export default function StaleNote({ error: { later, params } }: { error: CallError }) {
  const { by } = params;
  const own = useQueryClient().getQueryData(sessionQuery.queryKey)?.user.name;
  return (
    <div role="alert">
      <Banner tone="warn" title={<StaleTitle by={by} isOwn={by === own} />}>
        {later.map((change) => (
          <Change key={change.time + change.detail} change={change} />
        ))}
      </Banner>
    </div>
  );
}

function StaleTitle({ by, isOwn }: { by: string | number | undefined; isOwn: boolean }) {
  if (!by) return <Trans>It was changed in the meantime</Trans>;
  if (isOwn) return <Trans>You changed it in another tab</Trans>;
  return <Trans>{by} changed it in the meantime</Trans>;
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
