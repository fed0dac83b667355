import { useLingui } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router-dom';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import styles from './LogFrame.module.css';
import { OperationLog } from './OperationLog.tsx';
import { SystemLog } from './SystemLog.tsx';

type Kind = 'operations' | 'system';

/** The chosen log is part of the URL; switching logs resets the filters. */
export default function LogPage() {
  const { t } = useLingui();
  const [query, setQuery] = useSearchParams();
  const kind: Kind = query.get('log') === 'system' ? 'system' : 'operations';
  const choose = (next: string) => setQuery(next === 'system' ? { log: 'system' } : {}, { replace: true });
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={t`Log type`}
      data={[
        { value: 'operations', label: t`Operations` },
        { value: 'system', label: t`System` },
      ]}
      value={kind}
      onChange={choose}
    />
  );
  return (
    <div className={styles.page}>
      <PageHeader title={t`Logs`} aside={choice} />
      {kind === 'system' ? <SystemLog /> : <OperationLog />}
    </div>
  );
}
