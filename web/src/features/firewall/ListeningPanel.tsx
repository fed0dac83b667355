import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ListeningPort } from '../../../../daemon/contract/firewall.ts';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './Firewall.module.css';
import { addRule, onTrial } from './firewall-calls.ts';
import { protocolTexts, serviceTexts } from './firewall-text.ts';

const open: Look = { tone: 'live', icon: IconLockOpen, text: msg`Reachable` };
const closed: Look = { tone: 'off', icon: IconLock, text: msg`Not reachable` };

interface ListeningPanelProps {
  readonly ports: readonly ListeningPort[];
  /** Whether a rule would open a port that is closed. */
  readonly mayAdd: boolean;
}

/** Where the hub waits for connections, and whether they get there. */
export function ListeningPanel({ ports, mayAdd }: ListeningPanelProps) {
  return (
    <Panel title={<Trans>The hub listens on</Trans>} isFlush>
      <ul className={styles.listening}>
        {ports.map((one) => (
          <ListeningLine key={`${one.service} ${one.port} ${one.protocol} ${one.name}`} one={one} mayAdd={mayAdd} />
        ))}
      </ul>
    </Panel>
  );
}

function ListeningLine({ one, mayAdd }: { readonly one: ListeningPort; readonly mayAdd: boolean }) {
  const { t, i18n } = useLingui();
  const { port, protocol, name } = one;
  const service = i18n._(serviceTexts[one.service]);
  const what = name === '' ? service : `${service} “${name}”`;
  const place = `${protocolTexts[protocol]} ${port}`;
  const add = useMutation({
    mutationFn: async () => {
      const [{ followTrial }, answer] = await Promise.all([
        import('../../shared/confirmed-change/follow-trial.ts'),
        addRule({ port, protocol, remark: what, ...onTrial }),
      ]);
      return followTrial('firewall', { ...answer, addresses: [] });
    },
    onSuccess: (isFinal) => isFinal && showToast('success', t`The rule for ${port} was saved.`),
  });
  return (
    <li>
      <code className={styles.place}>{place}</code>
      <span className={styles.what}>{what}</span>
      <LookMark look={one.open ? open : closed} />
      <span className={styles.act}>
        {mayAdd && !one.open && (
          <Button
            size="xs"
            variant="default"
            loading={add.isPending}
            onClick={() => add.mutate()}
            aria-label={t`Add rule for ${place}`}
          >
            <Trans>Add rule</Trans>
          </Button>
        )}
      </span>
      {add.error !== null && (
        <div className={styles.fault}>
          <ActFault error={add.error} />
        </div>
      )}
    </li>
  );
}
