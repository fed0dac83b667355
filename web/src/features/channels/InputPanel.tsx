import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect } from '@mantine/core';
import { IconShieldHalf } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { useMay } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { deferredPart, lazyPart } from '../../lib/lazy-part.tsx';
import { inputsQuery } from '../../shared/inputs/input-calls.ts';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from './ChannelDetailPage.module.css';
import { setChannelInput } from './channel-calls.ts';
import { connectionReasonText } from './connection-reason.ts';
import { InputFacts } from './InputFacts.tsx';
import { LinkCell } from './quality/LinkCell.tsx';

const FailoverCards = lazyPart(() => import('./failover/FailoverCards.tsx'));
const FailoverDialog = deferredPart(() => import('./failover/FailoverDialog.tsx'));

interface InputPanelProps {
  readonly channel: Channel;
  readonly dialog: DialogAddress;
}

/** Source, connection state and media of the stream; for both inputs if there is a backup. */
export function InputPanel({ channel, dialog }: InputPanelProps) {
  const mayEdit = useMay('channelEdit');
  const { failover } = channel;
  const aside = (
    <div className={styles.headActions}>
      <SourceChoice channel={channel} />
      {mayEdit && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconShieldHalf size={15} aria-hidden />}
          onClick={() => dialog.open('failover')}
        >
          <Trans>Backup</Trans>
        </Button>
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
      {mayEdit && dialog.name === 'failover' && <FailoverDialog channel={channel} onClose={dialog.close} />}
    </Panel>
  );
}

function OnlyInput({ channel: { input } }: { channel: Channel }) {
  const { i18n } = useLingui();
  const look = connectionLook(input['conn-state']);
  const reason = connectionReasonText(i18n, input);
  return (
    <>
      <div className={styles.stateLine}>
        <LookMark look={look} />
        {reason !== undefined && <span>{reason}</span>}
        {input.report && <LinkCell kind="input" id={0} name={input.name || input.addr} report={input.report} />}
      </div>
      <InputFacts input={input} />
    </>
  );
}

function SourceChoice({ channel }: { channel: Channel }) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('channelEdit');
  const inputs = useQuery(inputsQuery).data ?? [];
  const { id, name } = channel.failover?.main ?? channel.input;
  const backup = channel.failover?.backup.id;
  const choose = useMutation({
    mutationFn: (input: number) => setChannelInput({ id: channel.id, input }),
    onError: (error) => showToast('error', faultText(i18n, error), `input-${channel.id}`),
  });
  const push = t`Pushed with the channel's key`;
  if (!mayEdit) return <span className={styles.faint}>{id === 0 ? push : name}</span>;
  const options = [
    { value: '0', label: push },
    ...inputs.filter((input) => input.id !== backup).map((input) => ({ value: String(input.id), label: input.name })),
  ];
  const present = options.some((option) => option.value === String(id)) ? [] : [{ value: String(id), label: name }];
  return (
    <NativeSelect
      size="xs"
      className={styles.select ?? ''}
      aria-label={t`Source of the stream`}
      data={[...options, ...present]}
      value={String(choose.isPending ? choose.variables : id)}
      onChange={(event) => choose.mutate(Number(event.currentTarget.value))}
    />
  );
}
