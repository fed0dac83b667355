import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconShieldHalf } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { useHas, useMay } from '../../api/session.ts';
import { deferredPart, lazyPart } from '../../lib/lazy-part.tsx';
import { DeviceChoiceDialog } from '../../shared/devices/channel/device-parts.ts';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from './ChannelDetailPage.module.css';
import { inputReasonText } from './connection-reason.ts';
import { EncoderWait } from './EncoderWait.tsx';
import { InputFacts } from './InputFacts.tsx';
import { losersText } from './losers-text.ts';
import { LinkCell } from './quality/LinkCell.tsx';

const FailoverCards = lazyPart(() => import('./failover/FailoverCards.tsx'));
const InputChoiceDialog = deferredPart(() => import('./InputChoiceDialog.tsx'));
const FailoverDialog = deferredPart(() => import('./failover/FailoverDialog.tsx'));

interface InputPanelProps {
  readonly channel: Channel;
  readonly dialog: DialogAddress;
}

/** Source, connection state and media of the stream; for both inputs if there is a backup. */
export function InputPanel({ channel, dialog }: InputPanelProps) {
  const mayEdit = useMay('channelEdit');
  const mayUseDevice = [mayEdit, useHas('devices'), useMay('deviceView'), useMay('deviceControl')].every(Boolean);
  const { failover } = channel;
  const aside = (
    <div className={styles.headActions}>
      {mayEdit && (
        <>
          <Button size="xs" variant="default" onClick={() => dialog.open('input')}>
            <Trans>Change input...</Trans>
          </Button>
          {mayUseDevice && (
            <Button size="xs" variant="default" onClick={() => dialog.open('device')}>
              <Trans>Use a device</Trans>
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconShieldHalf size={15} aria-hidden />}
            onClick={() => dialog.open('failover')}
          >
            <Trans>Backup</Trans>
          </Button>
        </>
      )}
    </div>
  );
  return (
    <Panel title={<Trans>Input</Trans>} aside={aside}>
      {failover === undefined ? (
        <OnlyInput channel={channel} />
      ) : (
        <Suspense fallback={<OnlyInput channel={channel} />}>
          <FailoverCards channel={channel} failover={failover} />
        </Suspense>
      )}
      {mayEdit && dialog.name === 'input' && <InputChoiceDialog channel={channel} onClose={dialog.close} />}
      {mayUseDevice && dialog.name === 'device' && (
        <DeviceChoiceDialog
          channel={channel}
          dir="input"
          losers={isOnAir(channel.state) ? losersText(channel) : undefined}
          onClose={dialog.close}
        />
      )}
      {mayEdit && dialog.name === 'failover' && <FailoverDialog channel={channel} onClose={dialog.close} />}
    </Panel>
  );
}

function OnlyInput({ channel }: { channel: Channel }) {
  const { input } = channel;
  const { i18n } = useLingui();
  const look = connectionLook(input['conn-state']);
  const reason = channel.state === 'waiting' && input.id === 0 ? undefined : inputReasonText(i18n, input);
  return (
    <>
      <div className={styles.stateLine}>
        <LookMark look={look} />
        <span className={styles.faint}>{input.id === 0 ? <Trans>Encoder push (channel key)</Trans> : input.name}</span>
        {reason === undefined ? <EncoderWait channel={channel} /> : <span>{reason}</span>}
        {input.report && <LinkCell kind="input" id={0} name={input.name || input.addr} report={input.report} />}
      </div>
      <InputFacts input={input} />
    </>
  );
}
