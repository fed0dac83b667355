import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { queryOptions, useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { OpenSession } from '../../../../daemon/contract/sessions.ts';
import { sessionsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { restoreFocus } from '../../ui/overlay/focus-return.ts';
import { agentText } from './agent-text.ts';
import styles from './SessionList.module.css';

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call(sessionsApi.list, { signal })).list,
});

export function SessionList() {
  const sessions = useSuspenseQuery(sessionsQuery).data;
  const end = useMutation({
    mutationFn: (which: { id: string } | { others: true }) => call(sessionsApi.end, { body: which }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const { isIdle } = end;
  const { length } = sessions;
  // The button disappears with its session once the shorter list is rendered.
  useEffect(() => {
    if (!isIdle && length > 0) restoreFocus();
  }, [isIdle, length]);
  const aside = sessions.length > 1 && (
    <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate({ others: true })}>
      <Trans>Sign out all others</Trans>
    </Button>
  );
  return (
    <Panel title={<Trans>Active sessions</Trans>} aside={aside} isFlush>
      <ul>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => end.mutate({ id: session.id })} />
        ))}
      </ul>
      {end.error !== null && <ActFault error={end.error} />}
    </Panel>
  );
}

function SessionRow({ session, onEnd }: { session: OpenSession; onEnd: () => void }) {
  const { t } = useLingui();
  const { ip, agent, current } = session;
  const since = <Moment time={session['create-time']} />;
  const lastSeen = <Moment time={session['last-seen']} />;
  const name = agentText(agent) ?? t`Unknown program`;
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <span className={styles.name} title={agent}>
          {name}
        </span>
        <span className={styles.where}>
          <Trans>
            {ip} · signed in {since} · last seen {lastSeen}
          </Trans>
        </span>
      </div>
      {current ? (
        <span className={styles.current}>
          <Trans>This session</Trans>
        </span>
      ) : (
        <Button size="xs" variant="default" aria-label={t`End the session of ${name} at ${ip}`} onClick={onEnd}>
          <Trans>End</Trans>
        </Button>
      )}
    </li>
  );
}
