import { queryOptions } from '@tanstack/react-query';
import { channelApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import type { ConnectionKind } from './connections.ts';

export type Minutes = 5 | 60;

/** The step length of each; nothing new is available sooner. */
const refetchMs: Readonly<Record<Minutes, number>> = { 5: 2000, 60: 5000 };

interface QualityOf {
  readonly channel: number;
  readonly kind: ConnectionKind;
  readonly id: number;
  readonly minutes: Minutes;
}

export function qualityQuery({ channel, kind, id, minutes }: QualityOf) {
  return queryOptions({
    queryKey: ['channels', 'quality', channel, kind, id, minutes],
    queryFn: ({ signal }) => {
      const query = { id: channel, minutes, ...(kind !== 'input' && { [kind]: id }) };
      return call(channelApi.quality, { query, signal });
    },
    // A player that has left is no longer known.
    refetchInterval: (query) => (query.state.error === null ? refetchMs[minutes] : false),
    retry: false,
    gcTime: 0,
  });
}
