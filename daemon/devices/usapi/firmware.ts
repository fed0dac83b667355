/** Firmware of Ultra Stream and Ultra Encode. They restart by themselves once they have written it. */
import type { Answer } from '../answer.ts';
import { fileForm } from '../device-upload.ts';
import type { FirmwareProgress, FirmwareUpgrade } from '../driver.ts';
import type { QuerySession } from '../query-session.ts';
import { usapi, usapiCodes } from './client.ts';

interface UsapiReads {
  readonly status: (signal: AbortSignal) => Promise<Answer>;
  readonly version: (signal: AbortSignal) => Promise<string>;
}

export interface FirmwareTimes {
  /** The device takes the next part of a file, and checks the whole of it, within this time. */
  readonly fileMs: number;
}

export function usapiFirmware(session: QuerySession, reads: UsapiReads, { fileMs }: FirmwareTimes): FirmwareUpgrade {
  const upgradeOf = async (signal: AbortSignal) => (await reads.status(signal)).part('upgrade-status');
  const isWriting = async (signal: AbortSignal) => (await upgradeOf(signal)).number('result') === usapiCodes.running;
  return {
    restartsItself: true,
    async upload(file, signal) {
      const result = (await upgradeOf(signal)).number('result') ?? usapiCodes.idle;
      // What failed before would otherwise be taken for the result of this upgrade.
      if (result < 0) await session.write('clear-upgrade', {}, signal, async () => false);
      await session.upload('upload-update-file', fileForm(file), fileMs, signal);
    },
    start: (signal) => session.write('update', { mode: 'upload' }, signal, () => isWriting(signal)),
    async progress(signal) {
      const status = await reads.status(signal);
      const upgrade = status.part('upgrade-status');
      const result = upgrade.number('result') ?? usapiCodes.idle;
      return {
        state: stateOf(result),
        percent: upgrade.number('percent') ?? 0,
        version: await reads.version(signal),
        uptimeS: status.part('sysstat').number('uptime'),
        ...(result < 0 && { fault: { code: result, text: usapi.textOf(result) } }),
      };
    },
  };
}

function stateOf(result: number): FirmwareProgress['state'] {
  if (result < 0) return 'failed';
  if (result === usapiCodes.running) return 'writing';
  return result === usapiCodes.done ? 'written' : 'idle';
}
