import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconCircleFilled, IconPlayerPause, IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { DeviceFacts } from '../../../../../daemon/contract/device-facts.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { NoValue, Quantity } from '../../../ui/data/Quantity.tsx';
import { type Look, LookMark } from '../../../ui/data/StateMark.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import type { Column } from '../../../ui/table/column.ts';
import { LongTable } from '../../../ui/table/LongTable.tsx';
import { RateCell, UptimeCell } from '../device-cells.tsx';
import { NothingKnown } from './NothingKnown.tsx';

type Stream = DeviceFacts['streams'][number];
type Row = Omit<Stream, 'id'> & { readonly id: number };
type Codec = NonNullable<DeviceFacts['main']>;

const looks: Record<Stream['state'], Look> = {
  off: { tone: 'off', icon: IconPlayerPause, text: msg`Off` },
  connecting: { tone: 'info', icon: IconRefresh, text: msg`Connecting` },
  running: { tone: 'live', icon: IconCircleFilled, text: msg`Running` },
  failed: { tone: 'fault', icon: IconAlertTriangle, text: msg`Failed` },
};

const columns: readonly Column<Row>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 150,
    cell: ({ state, reason }) => (
      <span title={reason}>
        <LookMark look={looks[state]} />
      </span>
    ),
    isFixed: true,
    onCard: 'state',
  },
  { key: 'name', title: msg`Name`, cell: ({ name }) => name, isFixed: true, onCard: 'title' },
  { key: 'protocol', title: msg`Protocol`, width: 130, cell: ({ protocol }) => protocol || <NoValue />, priority: 3 },
  {
    key: 'address',
    title: msg`Address`,
    minWidth: 200,
    cell: ({ address }) => address ?? <NoValue />,
    priority: 2,
    onCard: 'line',
  },
  {
    key: 'rate',
    title: msg`Bitrate`,
    width: 108,
    isRight: true,
    cell: ({ kbps }) => <RateCell kbps={kbps} />,
    priority: 2,
  },
  {
    key: 'run',
    title: msg`Live for`,
    width: 112,
    isRight: true,
    cell: (stream) => <UptimeCell seconds={stream['run-s']} />,
    priority: 1,
  },
  {
    key: 'reason',
    title: msg`Reason`,
    minWidth: 180,
    cell: ({ reason }) => reason ?? <NoValue />,
    onCard: 'line',
  },
];

export function StreamsTab({ facts }: { facts: DeviceFacts | undefined }) {
  const { t } = useLingui();
  const streams = facts?.streams;
  const parts = useMemo(() => [(streams ?? []).map((stream, at): Row => ({ ...stream, id: at + 1 }))], [streams]);
  const codecs = [
    ['main', <Trans key="main">Main stream</Trans>, facts?.main],
    ['sub', <Trans key="sub">Sub stream</Trans>, facts?.sub],
    ['audio', <Trans key="audio">Audio</Trans>, facts?.audio],
  ] as const;
  const known = codecs.filter(([, , codec]) => codec !== undefined);
  if (facts === undefined || (facts.streams.length === 0 && known.length === 0 && facts.source === undefined)) {
    return <NothingKnown />;
  }
  return (
    <>
      {facts.source && (
        <Panel title={<Trans>Source</Trans>}>
          <Facts
            facts={[
              { name: t`Name`, value: facts.source.name },
              { name: t`Address`, value: facts.source.address ?? <NoValue /> },
              { name: t`State`, value: facts.source.connected ? t`Connected` : t`Not connected` },
            ]}
          />
        </Panel>
      )}
      {facts.streams.length > 0 && (
        <Panel title={<Trans>Streams</Trans>} isFlush>
          <LongTable label={t`Streams`} columns={columns} parts={parts} total={facts.streams.length} root={null} />
        </Panel>
      )}
      {known.map(
        ([key, title, codec]) =>
          codec && (
            <Panel key={key} title={title}>
              <CodecFacts codec={codec} isAudio={key === 'audio'} />
            </Panel>
          ),
      )}
    </>
  );
}

function CodecFacts({ codec, isAudio }: { codec: Codec; isAudio: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { width, height, fps, interlaced } = codec;
  const size = width === undefined || height === undefined ? undefined : `${width}×${height}${interlaced ? 'i' : ''}`;
  const rate = codec['sample-rate'];
  const facts = [
    { name: t`Codec`, value: codec.codec },
    ...(isAudio
      ? [
          { name: t`Channels`, value: codec.channels === undefined ? undefined : format.number(codec.channels) },
          {
            name: t`Sample rate`,
            value:
              rate === undefined ? undefined : (
                <Quantity amount={{ value: format.number(rate / 1000, 1), unit: 'kHz' }} />
              ),
          },
        ]
      : [
          { name: t`Resolution`, value: size },
          {
            name: t`Frame rate`,
            value: fps === undefined ? undefined : <Quantity amount={{ value: format.number(fps, 2), unit: 'fps' }} />,
          },
        ]),
    { name: t`Configured bitrate`, value: <RateCell kbps={codec.kbps} /> },
    { name: t`Bitrate`, value: <RateCell kbps={codec['cur-kbps']} /> },
  ];
  return <Facts facts={facts.map(({ name, value }) => ({ name, value: value ?? <NoValue /> }))} />;
}
