/**
 * Firmware of IP decoders, IP to USB, audio converters and Modator. A restart activates what was written. The state is a
 * number, or a word with some firmware.
 */
import type { Answer } from '../answer.ts';
import { fileForm } from '../device-upload.ts';
import type { FirmwareProgress, FirmwareUpgrade } from '../driver.ts';
import type { QuerySession } from '../query-session.ts';
import { apiPath } from './client.ts';
import { identityOf, upgradeState } from './facts.ts';

/** The device gives up an upgrade that makes no progress for so many seconds. */
const timeoutS = 300;

/** Body of `upgrade/update` with a file that was uploaded. */
export const startFields = { 'is-online': false, mode: 0, timeout: timeoutS };

/** `update`: answer of `upgrade/state`. */
export function progressOf(update: Answer): Pick<FirmwareProgress, 'state' | 'percent' | 'fault'> {
  const state = upgradeState(update);
  const code = update.number('code') ?? update.number('error') ?? 0;
  return {
    ...{ state, percent: update.number('step-progress') ?? 0 },
    ...(state === 'failed' && { fault: { code, text: apiPath.textOf(code) } }),
  };
}

export function apiPathFirmware(
  session: QuerySession,
  readSummary: (signal: AbortSignal) => Promise<Answer>,
  { fileMs }: { readonly fileMs: number },
): FirmwareUpgrade {
  const readState = (signal: AbortSignal) => session.readByPost('upgrade/state', signal);
  return {
    restartsItself: false,
    async upload(file, signal) {
      await readState(signal);
      await session.upload('system/upload-fw', fileForm(file), fileMs, signal);
    },
    start: (signal) =>
      session.write(
        'upgrade/update',
        startFields,
        signal,
        async () => upgradeState(await readState(signal)) === 'writing',
      ),
    async progress(signal) {
      const summary = await readSummary(signal);
      const update = await readState(signal);
      return {
        ...progressOf(update),
        ...{ version: identityOf(summary)['firmware-ver'], uptimeS: summary.number('uptime') },
      };
    },
  };
}
