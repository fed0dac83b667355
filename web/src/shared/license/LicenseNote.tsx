import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { systemStatusQuery } from '../system/system-query.ts';

type LicensedThing = 'channels' | 'outputs' | 'srt';

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

/** Warns in advance about reached license limits; renders nothing otherwise. */
export function LicenseNote({ of }: { of: readonly LicensedThing[] }) {
  const license = useLicense();
  return of.map((what) => {
    const { limit, isFull } = license[what];
    return isFull && <Banner key={what} tone="info" title={<FullText what={what} limit={limit} />} />;
  });
}

function FullText({ what, limit }: { what: LicensedThing; limit: number }) {
  switch (what) {
    case 'channels':
      return <Trans>The license limit of {limit} enabled channels is reached. Stop one to start or add another.</Trans>;
    case 'outputs':
      return <Trans>The license limit of {limit} enabled outputs is reached. Switch one off to add another.</Trans>;
    case 'srt':
      return <Trans>The license limit of {limit} SRT inputs and outputs is reached.</Trans>;
  }
}
