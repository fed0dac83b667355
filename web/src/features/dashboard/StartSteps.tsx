import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAntenna, IconPlayerPlay, IconPlus, IconVideoPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { paths } from '../../lib/paths.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './StartSteps.module.css';

/** Shown instead of the channels on air while the hub has none. */
export default function StartSteps() {
  const mayEdit = useMay('channelEdit');
  if (!mayEdit) {
    return (
      <Panel title={<Trans>On air</Trans>}>
        <EmptyState icon={IconVideoPlus} title={<Trans>No channels yet</Trans>}>
          <Trans>Users with the permission to edit channels can add one.</Trans>
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel title={<Trans>Three steps to the first stream</Trans>}>
      <ol className={styles.steps}>
        <Step icon={<IconVideoPlus size={26} stroke={1.5} aria-hidden />} title={<Trans>Add a channel</Trans>}>
          <p>
            <Trans>It receives one stream and delivers it to outputs and players. It needs only a name.</Trans>
          </p>
          <Button
            component={Link}
            to={`${paths.channels}?dialog=add`}
            leftSection={<IconPlus size={16} aria-hidden />}
            className={styles.act ?? ''}
          >
            <Trans>Add channel</Trans>
          </Button>
        </Step>
        <Step icon={<IconAntenna size={26} stroke={1.5} aria-hidden />} title={<Trans>Point your encoder at it</Trans>}>
          <p>
            <Trans>
              The channel's page shows the address and the key, ready for OBS, vMix, Larix, FFmpeg and SRT encoders.
            </Trans>
          </p>
        </Step>
        <Step icon={<IconPlayerPlay size={26} stroke={1.5} aria-hidden />} title={<Trans>Watch</Trans>}>
          <p>
            <Trans>See the preview in the browser, give players their address, or add outputs to send it on.</Trans>
          </p>
        </Step>
      </ol>
    </Panel>
  );
}

function Step({ icon, title, children }: { icon: ReactNode; title: ReactNode; children: ReactNode }) {
  return (
    <li className={styles.step}>
      {icon}
      <h3>{title}</h3>
      {children}
    </li>
  );
}
