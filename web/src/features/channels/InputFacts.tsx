import { useLingui } from '@lingui/react/macro';
import type { ChannelInput } from '../../../../daemon/contract/channels.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { amountText, type Measure } from '../../lib/format.ts';
import { pictureText, soundText } from '../../shared/streams/media-text.ts';
import { useMediaFacts } from '../../shared/streams/useMediaFacts.ts';
import { Address } from '../../ui/data/Address.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';

/** Media and link quality of one input. */
export function InputFacts({ input }: { input: ChannelInput }) {
  const { t } = useLingui();
  const format = useFormat();
  const mediaFacts = useMediaFacts(input.media);
  const facts: Fact[] = [
    { name: t`From`, value: input.addr === '' ? <NoValue /> : <Address text={input.addr} />, isWide: true },
    { name: t`Protocol`, value: protocolOf(input.protocol)?.toUpperCase() ?? <NoValue /> },
    { name: t`Video`, value: pictureText(input.media?.video) ?? <NoValue /> },
    { name: t`Audio`, value: soundText(input.media?.audio) ?? <NoValue /> },
    ...mediaFacts,
    { name: t`Total received`, value: amountText(format.bytes(input['total-bytes'])) },
    { name: t`Reconnects`, value: format.number(input.reconnects) },
  ];
  if (input['cc-errors'] !== undefined) {
    facts.push({ name: t`CC errors`, value: format.number(input['cc-errors']) });
  }
  const { report } = input;
  const add = (name: string, value: number | undefined, measure?: Measure) => {
    if (value === undefined) return;
    facts.push({ name, value: measure ? amountText(format.measure(measure, value)) : format.number(value) });
  };
  add(t`RTT`, report?.['rtt-ms'], 'rtt-ms');
  add(t`Jitter`, report?.['jitter-ms'], 'jitter-ms');
  add(t`Packets lost`, report?.['pkt-loss-total']);
  add(t`Retransmitted`, report?.['pkt-retrans-total']);
  add(t`Packets dropped`, report?.['pkt-drop-total']);
  add(t`Buffer`, report?.['buffer-ms'], 'buffer-ms');
  return <Facts facts={facts} />;
}
