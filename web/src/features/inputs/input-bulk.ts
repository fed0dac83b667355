/** Acts on several inputs of the list. */
import { msg, plural, t } from '@lingui/core/macro';
import { IconTrash } from '@tabler/icons-react';
import type { Input } from '../../../../daemon/contract/inputs.ts';
import { inputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { BulkAct } from '../../ui/table/bulk.ts';

export const inputEditActs: readonly BulkAct<Input>[] = [
  {
    key: 'delete',
    title: msg`Delete`,
    icon: IconTrash,
    appliesTo: () => true,
    ask: (inputs) => ({
      title: plural(inputs.length, { one: 'Delete # input?', other: 'Delete # inputs?' }),
      consequence: consequenceOf(inputs),
      verb: plural(inputs.length, { one: 'Delete # input', other: 'Delete # inputs' }),
    }),
    run: ({ id }) => call(inputApi.del, { body: { id, force: true } }),
    after: () => refresh('channels', 'inputs'),
  },
];

function consequenceOf(inputs: readonly Input[]): string {
  const channels = new Set(inputs.flatMap((input) => input['owner-i-d'] ?? [])).size;
  if (channels === 0) return t`None of them is in use. Their settings are permanently deleted.`;
  const using = plural(channels, { one: '# channel', other: '# channels' });
  return t`${using} will lose the stream and wait for an encoder. The settings are permanently deleted.`;
}
