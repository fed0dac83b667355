import { useEffect } from 'react';
import { systemFlags } from '../../../../daemon/contract/variant.ts';
import { type HubWork, useConnection } from '../../api/connection.ts';
import { useSystem } from '../../shared/system/system-query.ts';

const works = ['resetting', 'importing', 'restarting'] as const satisfies readonly HubWork[];

/** Tells the overlay what the hub does with itself: it goes away then, and comes back. */
export function useWorkNotice(): void {
  const flags = useSystem()?.status['status-code'] ?? 0;
  const work = works.find((name) => (flags & systemFlags[name]) !== 0);
  useEffect(() => {
    useConnection.setState({ work });
    return () => useConnection.setState({ work: undefined });
  }, [work]);
}
