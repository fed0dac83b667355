import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Channel, ChannelInput } from '../../../../daemon/contract/channels.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Format } from '../../lib/format.ts';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { NoValue } from '../../ui/Quantity.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import { showToast } from '../../ui/toasts.ts';
import { inputsQuery } from '../inputs/inputs-query.ts';
import styles from './ChannelDetailPage.module.css';
import { setChannelInput } from './channel-calls.ts';
import { pictureText, soundText } from './media-text.ts';
import { LinkCell } from './quality/LinkCell.tsx';
import { connectionLook } from './state-look.ts';

/** Where the stream comes from, how the connection is, and what is in it. */
export function InputPanel({ channel }: { channel: Channel }) {
  const { i18n } = useLingui();
  const { input } = channel;
  const look = connectionLook(input['conn-state']);
  const reason = reasonText(i18n, input.reason);
  return (
    <Panel title={<Trans>Input</Trans>} aside={<SourceChoice channel={channel} />}>
      <div className={styles.stateLine}>
        <StateMark tone={look.tone} icon={look.icon}>
          {i18n._(look.text)}
        </StateMark>
        {reason !== undefined && <span>{reason}</span>}
        {input.report && <LinkCell kind="input" id={0} name={input.name || input.addr} report={input.report} />}
      </div>
      <InputFacts input={input} />
    </Panel>
  );
}

function InputFacts({ input }: { input: ChannelInput }) {
  const { t } = useLingui();
  const format = useFormat();
  const facts: Fact[] = [
    { name: t`Protocol`, value: protocolOf(input.protocol)?.toUpperCase() ?? <NoValue /> },
    { name: t`From`, value: input.addr === '' ? <NoValue /> : input.addr },
    { name: t`Picture`, value: pictureText(input.media?.video) ?? <NoValue /> },
    { name: t`Sound`, value: soundText(input.media?.audio) ?? <NoValue /> },
    { name: t`Received in all`, value: amountText(format, input['total-bytes']) },
    { name: t`Reconnects`, value: format.number(input.reconnects) },
  ];
  if (input['cc-errors'] !== undefined) {
    facts.push({ name: t`Continuity faults`, value: format.number(input['cc-errors']) });
  }
  const { report } = input;
  const add = (name: string, value: number | undefined, unit = '') => {
    if (value !== undefined)
      facts.push({ name, value: `${format.number(value, unit === 'ms' ? 1 : 0)} ${unit}`.trim() });
  };
  add(t`Round trip`, report?.['rtt-ms'], 'ms');
  add(t`Packets lost`, report?.['pkt-loss-total']);
  add(t`Packets repaired`, report?.['pkt-retrans-total']);
  add(t`Packets dropped`, report?.['pkt-drop-total']);
  add(t`Buffer`, report?.['buffer-ms'], 'ms');
  return <Facts facts={facts} />;
}

function amountText(format: Format, bytes: number) {
  if (bytes === 0) return <NoValue />;
  const { value, unit } = format.bytes(bytes);
  return `${value} ${unit}`;
}

function SourceChoice({ channel }: { channel: Channel }) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('channelEdit');
  const inputs = useQuery(inputsQuery).data ?? [];
  const { id, name } = channel.input;
  const choose = useMutation({
    mutationFn: (input: number) => setChannelInput(channel.id, input),
    onError: (error) => showToast('error', faultText(i18n, error), `input-${channel.id}`),
  });
  const push = t`Pushed with the channel's key`;
  if (!mayEdit) return <span className={styles.faint}>{id === 0 ? push : name}</span>;
  const options = [
    { value: '0', label: push },
    ...inputs.map((input) => ({ value: String(input.id), label: input.name })),
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
