/**
 * Firmware of USB Fusion. Start and state are published; the path of the upload is that of the maker's other devices with
 * the same calls. A restart activates what was written.
 */
import type { Answer } from '../answer.ts';
import { upgradeState } from '../api-path/facts.ts';
import { progressOf, startFields } from '../api-path/firmware.ts';
import { fileForm } from '../device-upload.ts';
import type { DeviceUpload, FirmwareUpgrade } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';

/** All paths begin with `/api`. Undefined: the device has no such call. */
export interface FusionCalls {
  readState(signal: AbortSignal): Promise<Answer | undefined>;
  upload(path: string, form: DeviceUpload, signal: AbortSignal): Promise<Answer | undefined>;
  /** As `write` of the driver. */
  start(
    path: string,
    fields: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    isDone: () => Promise<boolean>,
  ): Promise<void>;
}

export function fusionFirmware(
  calls: FusionCalls,
  readDevice: (signal: AbortSignal) => Promise<Answer>,
): FirmwareUpgrade {
  const readState = async (signal: AbortSignal): Promise<Answer> =>
    known(await calls.readState(signal), 'upgrade/state');
  return {
    restartsItself: false,
    async upload(file, signal) {
      await readState(signal);
      known(await calls.upload('system/upload-fw', fileForm(file), signal), 'system/upload-fw');
    },
    start: (signal) =>
      calls.start(
        'upgrade/update',
        startFields,
        signal,
        async () => upgradeState(await readState(signal)) === 'writing',
      ),
    async progress(signal) {
      const device = await readDevice(signal);
      const update = await readState(signal);
      return {
        ...progressOf(update),
        ...{ version: device.text('fw-version') ?? '', uptimeS: device.number('up-time') },
      };
    },
  };
}

function known(answer: Answer | undefined, name: string): Answer {
  if (answer === undefined) throw new DeviceProblem('unsupported', `${name}: the device has no such call`);
  return answer;
}
