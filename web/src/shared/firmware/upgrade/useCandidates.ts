import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { regStates } from '../../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { Firmware } from '../../../../../daemon/contract/firmware.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { deviceUpgradeApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { type Candidate, candidatesOf } from './upgrade-plan.ts';

const lookEveryMs = 5000;

/** The devices, and what the hub says of each: asked again and again, because they go live, and end to be. */
export function useCandidates(
  firmware: Firmware,
  devices: readonly Device[],
  force: boolean,
): { candidates: readonly Candidate[]; error: unknown } {
  const sns = devices
    .filter((device) => device['reg-state'] === regStates.accepted)
    .slice(0, limits.devicesPerCall)
    .map(({ sn }) => sn);
  const { data, error } = useQuery({
    queryKey: ['upgrades', firmware.id, force, sns],
    queryFn: async ({ signal }) => {
      const body = { sn: sns, 'firmware-id': firmware.id, force, 'dry-run': true };
      return (await call(deviceUpgradeApi.start, { body, signal, isUse: false })).details;
    },
    enabled: sns.length > 0,
    refetchInterval: lookEveryMs,
    placeholderData: (before) => before,
  });
  const candidates = useMemo(() => candidatesOf(devices, data ?? [], firmware), [devices, data, firmware]);
  return { candidates, error };
}
