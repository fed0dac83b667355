/** The actions of found devices as commands. Loaded when devices are found: most hubs have none. */
import type { I18n } from '@lingui/core';
import { blockedBy, deviceActions } from '../../../../daemon/contract/device-actions.ts';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { needsQuestion } from '../../features/devices/actions/impact.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { devicePath } from '../../lib/paths.ts';
import { actionLooks } from '../../shared/devices/action-look.ts';
import { actOnDevice } from '../../shared/devices/device-acts.ts';
import { consoleBlocked, consoleText, openConsole } from '../../shared/devices/device-console.ts';
import type { Command } from './commands.ts';

export async function loadDeviceActions(): Promise<{ readonly commandsOf: typeof commandsOf }> {
  await addTexts('devices');
  return { commandsOf };
}

/** What each device can do now. One with a question opens it on the page of the device. */
function commandsOf(i18n: I18n, devices: readonly Device[]): Command[] {
  return devices.flatMap((device) => [
    ...deviceActions
      .filter((action) => blockedBy(device, action) === undefined)
      .map((action): Command => {
        const text = `${i18n._(actionLooks[action].verb)}: ${device.name}`;
        const named = { group: 'acts', text, words: action } as const;
        return needsQuestion(action, device)
          ? { ...named, path: `${devicePath(device.sn)}?dialog=${action}` }
          : { ...named, run: () => actOnDevice(device, action) };
      }),
    ...consoleCommand(i18n, device),
  ]);
}

function consoleCommand(i18n: I18n, device: Device): Command[] {
  if (device['reg-state'] !== regStates.accepted || consoleBlocked(device) !== undefined) return [];
  const text = `${i18n._(consoleText)}: ${device.name}`;
  return [{ group: 'acts', text, words: 'console', run: () => openConsole(device) }];
}
