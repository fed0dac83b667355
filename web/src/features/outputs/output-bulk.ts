/** Acts on several outputs of the list. */
import { msg, plural, t } from '@lingui/core/macro';
import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { ChannelOutput } from '../../../../daemon/contract/channels.ts';
import type { Output } from '../../../../daemon/contract/outputs.ts';
import { channelApi, outputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { BulkAct } from '../../ui/table/bulk.ts';

type Row = Output & { readonly run: ChannelOutput | undefined };

const enable = (wanted: boolean) => async (output: Row) => {
  const id = output['owner-o-d'];
  if (id !== undefined) await call(channelApi.enableOutput, { body: { id, output: output.id, enable: wanted } });
};

const runningText = (outputs: readonly Row[]) => {
  const running = outputs.filter(({ run }) => run !== undefined && run.kbps > 0).length;
  return plural(running, { one: '# of them is sending.', other: '# of them are sending.' });
};

export const outputControlActs: readonly BulkAct<Row>[] = [
  {
    key: 'enable',
    title: msg`Enable`,
    icon: IconPlayerPlay,
    appliesTo: ({ run }) => run?.enable === false,
    ask: () => undefined,
    run: enable(true),
    after: () => refresh('channels'),
  },
  {
    key: 'disable',
    title: msg`Disable`,
    icon: IconPlayerStop,
    appliesTo: ({ run }) => run?.enable === true,
    ask: (outputs) => ({
      title: plural(outputs.length, { one: 'Disable # output?', other: 'Disable # outputs?' }),
      consequence: runningText(outputs),
      verb: plural(outputs.length, { one: 'Disable # output', other: 'Disable # outputs' }),
    }),
    run: enable(false),
    after: () => refresh('channels'),
  },
];

export const outputEditActs: readonly BulkAct<Row>[] = [
  {
    key: 'delete',
    title: msg`Delete`,
    icon: IconTrash,
    appliesTo: () => true,
    ask: (outputs) => ({
      title: plural(outputs.length, { one: 'Delete # output?', other: 'Delete # outputs?' }),
      consequence: `${runningText(outputs)} ${t`Sending stops, and the settings are permanently deleted.`}`,
      verb: plural(outputs.length, { one: 'Delete # output', other: 'Delete # outputs' }),
    }),
    run: ({ id }) => call(outputApi.del, { body: { id, force: true } }),
    after: () => refresh('channels', 'outputs'),
  },
];
