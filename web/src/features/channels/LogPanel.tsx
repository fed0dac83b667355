import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { channelApi, type ProcessLog } from '../../../../daemon/contract/channels.ts';
import { call } from '../../api/client.ts';
import { processName } from '../../i18n/process-name.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import styles from './ChannelDetailPage.module.css';

const refreshMs = 3000;

/** What the processes and connections behind a channel said last. */
export function LogPanel({ id }: { id: number }) {
  const { t, i18n } = useLingui();
  const [chosen, setChosen] = useState<string>();
  const logs = useQuery({
    queryKey: ['channels', 'log', id],
    queryFn: async ({ signal }) => (await call(channelApi.log, { query: { id }, signal })).list,
    refetchInterval: refreshMs,
  }).data;
  const label = ({ name, running }: ProcessLog) => {
    const text = processName(i18n, name);
    return running ? t`${text} (running)` : text;
  };
  const log = logs?.find((one) => one.name === chosen) ?? logs?.find((one) => one.lines.length > 0) ?? logs?.[0];
  return (
    <Panel
      title={<Trans>Log of the processes</Trans>}
      aside={
        logs !== undefined &&
        log !== undefined && (
          <div className={styles.headActions}>
            <NativeSelect
              size="xs"
              className={styles.select ?? ''}
              aria-label={t`Process`}
              data={logs.map((one) => ({ value: one.name, label: label(one) }))}
              value={log.name}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
            <CopyButton text={log.lines.map((line) => line.text).join('\n')} label={t`the log`} />
          </div>
        )
      }
      isFlush
    >
      {log === undefined || log.lines.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>Nothing was logged yet.</Trans>
        </p>
      ) : (
        <LogLines log={log} />
      )}
    </Panel>
  );
}

/** Stays at the newest line, unless somebody has scrolled up to read. */
function LogLines({ log }: { log: ProcessLog }) {
  const format = useFormat();
  const { t } = useLingui();
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const newest = log.lines.at(-1)?.time;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is what scrolls
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [newest, log.name]);
  const watch = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={styles.log} tabIndex={0} aria-label={t`Log lines`} onScroll={watch}>
      {log.lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and several share a time
        <p key={`${line.time}-${at}`} data-level={line.level}>
          <time dateTime={new Date(line.time).toISOString()}>{format.clock(line.time)}</time>
          {line.text}
        </p>
      ))}
    </section>
  );
}
