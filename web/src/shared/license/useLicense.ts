import { useQuery } from '@tanstack/react-query';
import { systemStatusQuery } from '../system/system-query.ts';

export type LicensedThing = 'channels' | 'outputs' | 'srt';

interface Room {
  readonly limit: number;
  readonly isFull: boolean;
}

const unknown: Room = { limit: 0, isFull: false };

/** License limits, and whether they are reached. Before the first system status they count as not reached. */
export function useLicense(): Readonly<Record<LicensedThing, Room>> {
  // The page frame keeps the status current.
  const system = useQuery({ ...systemStatusQuery, enabled: false }).data?.system;
  if (system === undefined) return { channels: unknown, outputs: unknown, srt: unknown };
  const { channel, output, srt } = system;
  return {
    channels: room(channel['enable-num'], channel['limit-num']),
    outputs: room(output['enable-num'], output['limit-num']),
    srt: room(srt['used-num'], srt['limit-num']),
  };
}

function room(used: number, limit: number): Room {
  return { limit, isFull: used >= limit };
}
