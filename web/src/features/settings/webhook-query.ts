import { queryOptions } from '@tanstack/react-query';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const webhookQuery = queryOptions({
  queryKey: ['alarms', 'webhook'],
  queryFn: ({ signal }) => call(alarmApi.webhook, { signal }),
});
