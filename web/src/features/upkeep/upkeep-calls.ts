import type { BodyInput, ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { powerApi, settingsFileApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

/** The hub derives a key from the passphrase, which may take a while, and others may wait before. */
const slowMs = 60_000;

export type Import = ResponseOf<typeof settingsFileApi.import>;

export const importSettings = (body: BodyInput<typeof settingsFileApi.import>): Promise<Import> =>
  call(settingsFileApi.import, { body, timeoutMs: slowMs });
export const resetHub = (body: BodyInput<typeof powerApi.reset>) => call(powerApi.reset, { body });
export const rebootHub = (force: boolean) => call(powerApi.reboot, { body: { force } });
