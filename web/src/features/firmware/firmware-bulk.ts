/** Acts on several firmware files. */
import { msg, plural, t } from '@lingui/core/macro';
import { IconTrash } from '@tabler/icons-react';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { firmwareApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { BulkAct } from '../../ui/table/bulk.ts';

export const firmwareActs: readonly BulkAct<Firmware>[] = [
  {
    key: 'delete',
    title: msg`Delete`,
    icon: IconTrash,
    appliesTo: (one) => !one['in-use'],
    ask: (files) => ({
      title: plural(files.length, { one: 'Delete # firmware file?', other: 'Delete # firmware files?' }),
      consequence: t`They are permanently deleted from the library. Devices keep the firmware that they run.`,
      verb: plural(files.length, { one: 'Delete # file', other: 'Delete # files' }),
    }),
    run: ({ id }) => call(firmwareApi.del, { body: { id } }),
    after: () => refresh('firmware'),
  },
];
