/** Acts on several channels of the list. */
import { msg, plural, t } from '@lingui/core/macro';
import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { BulkAct } from '../../ui/table/bulk.ts';

const enable = (wanted: boolean) => (channel: Channel) =>
  call(channelApi.enable, { body: { id: channel.id, enable: wanted } });

export const channelControlActs: readonly BulkAct<Channel>[] = [
  {
    key: 'start',
    title: msg`Start`,
    icon: IconPlayerPlay,
    appliesTo: ({ config }) => !config.enable,
    ask: () => undefined,
    run: enable(true),
    after: () => refresh('channels'),
  },
  {
    key: 'stop',
    title: msg`Stop`,
    icon: IconPlayerStop,
    appliesTo: ({ config }) => config.enable,
    ask: (channels) =>
      onAir(channels).length === 0
        ? undefined
        : {
            title: plural(channels.length, { one: 'Stop # channel?', other: 'Stop # channels?' }),
            consequence: losersText(channels),
            verb: plural(channels.length, { one: 'Stop # channel', other: 'Stop # channels' }),
          },
    run: enable(false),
    after: () => refresh('channels'),
  },
];

export const channelEditActs: readonly BulkAct<Channel>[] = [
  {
    key: 'delete',
    title: msg`Delete`,
    icon: IconTrash,
    appliesTo: () => true,
    ask: (channels) => ({
      title: plural(channels.length, { one: 'Delete # channel?', other: 'Delete # channels?' }),
      consequence: [
        onAir(channels).length > 0 && losersText(channels),
        t`The channels and their keys will be permanently deleted. Encoders and players using them can no longer connect.`,
      ]
        .filter((part) => part !== false)
        .join(' '),
      verb: plural(channels.length, { one: 'Delete # channel', other: 'Delete # channels' }),
    }),
    run: ({ id }) => call(channelApi.del, { body: { id } }),
    after: () => refresh('channels', 'outputs', 'inputs'),
  },
];

const onAir = (channels: readonly Channel[]) => channels.filter(({ state }) => state === 'live' || state === 'slate');

/** Says who loses the stream of those that are on air. */
export function losersText(channels: readonly Channel[]): string {
  const live = onAir(channels);
  const running = live.flatMap(({ outputs }) => outputs.list.filter(({ kbps }) => kbps > 0)).length;
  const watching = live.reduce((sum, { clients }) => sum + clients.total, 0);
  const onAirText = plural(live.length, { one: '# of them is on air', other: '# of them are on air' });
  const outputs = plural(running, { one: '# output', other: '# outputs' });
  const players = plural(watching, { one: '# player', other: '# players' });
  return t`${onAirText}. ${outputs} and ${players} will lose the stream.`;
}
