import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
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
  const { i18n } = useLingui();
  return of.map((what) => {
    const { limit, isFull } = license[what];
    return isFull && <Banner key={what} tone="info" title={fullText(i18n, what, limit)} />;
  });
}

/** Why no further channel can be enabled; undefined while one can. */
export function useChannelsFull(): string | undefined {
  const { i18n } = useLingui();
  const { limit, isFull } = useLicense().channels;
  return isFull ? fullText(i18n, 'channels', limit) : undefined;
}

function fullText(i18n: I18n, what: LicensedThing, limit: number): string {
  switch (what) {
    case 'channels':
      return i18n._(msg`The license limit of ${limit} enabled channels is reached. Stop one to start or add another.`);
    case 'outputs':
      return i18n._(msg`The license limit of ${limit} enabled outputs is reached. Switch one off to add another.`);
    case 'srt':
      return i18n._(msg`The license limit of ${limit} SRT inputs and outputs is reached.`);
  }
}
