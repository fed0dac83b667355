/** Firmware of Pro Convert encoders and of the first generation of decoders. A restart activates what was written. */
import type { Answer } from '../answer.ts';
import { fileForm } from '../device-upload.ts';
import type { FirmwareState, FirmwareUpgrade } from '../driver.ts';
import type { QuerySession } from '../query-session.ts';
import { mwapi } from './client.ts';

const states: Readonly<Record<string, FirmwareState>> = {
  updating: 'writing',
  completed: 'written',
  failed: 'failed',
};

export function mwapiFirmware(
  session: QuerySession,
  readSummary: (signal: AbortSignal) => Promise<Answer>,
  { fileMs }: { readonly fileMs: number },
): FirmwareUpgrade {
  const readState = (signal: AbortSignal) => session.read('get-update-state', signal);
  const stateOf = (update: Answer) => states[update.text('state') ?? ''] ?? 'idle';
  return {
    restartsItself: false,
    async upload(file, signal) {
      await readState(signal);
      await session.upload('upload-update-file', fileForm(file), fileMs, signal);
    },
    start: (signal) =>
      session.write('update', { mode: 'manual' }, signal, async () => stateOf(await readState(signal)) === 'writing'),
    async progress(signal) {
      const device = (await readSummary(signal)).part('device');
      const update = await readState(signal);
      const state = stateOf(update);
      const code = update.number('error-status') ?? 0;
      return {
        state,
        percent: update.number('step-percent') ?? 0,
        version: device.text('fw-version') ?? '',
        uptimeS: device.number('up-time'),
        ...(state === 'failed' && { fault: { code, text: mwapi.textOf(code) } }),
      };
    },
  };
}
