/** Tells one device to act, and shows everywhere that it is doing so. */
import { type I18n, i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { create } from 'zustand';
import type { DeviceAction } from '../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { deviceActionApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { actionFaultText } from '../../i18n/device-action-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';

/** By serial number: what a device was told and has not answered yet. */
const useRunning = create<Readonly<Record<string, DeviceAction>>>(() => ({}));

/** What this device is doing because this user told it to. */
export function useRunningAction(sn: string): DeviceAction | undefined {
  return useRunning((running) => running[sn]);
}

/** The hub waits so long for a device, including the time until its state shows what it did. */
const longestMs = 45_000;

/** Rejects with the fault of the hub or the device. */
export async function tellDevice(sn: string, action: DeviceAction, name?: string): Promise<void> {
  useRunning.setState({ [sn]: action });
  try {
    const params = name === undefined ? {} : { params: { name } };
    await call(deviceActionApi.act, { body: { sn, action, ...params }, timeoutMs: longestMs });
    await refresh('devices');
  } finally {
    useRunning.setState((running) => {
      const { [sn]: _, ...others } = running;
      return others;
    }, true);
  }
}

/** The same at once, with a toast that says what came of it. */
export function actOnDevice({ sn, name }: Pick<Device, 'sn' | 'name'>, action: DeviceAction): void {
  void tellDevice(sn, action)
    .then(() => showToast('success', doneText(i18n, action, name), `device-${sn}`))
    .catch((error: unknown) => showToast('error', `${name}: ${actionFaultText(i18n, error)}`, `device-${sn}`));
}

function doneText(words: I18n, action: DeviceAction, name: string): string {
  const texts = {
    rename: msg`“${name}” was renamed.`,
    reboot: msg`“${name}” is restarting.`,
    'record-start': msg`“${name}” is recording.`,
    'record-stop': msg`“${name}” has stopped recording.`,
    'live-start': msg`“${name}” is live.`,
    'live-stop': msg`“${name}” is no longer live.`,
    'quick-start': msg`“${name}” is sending its quick stream.`,
    'quick-stop': msg`“${name}” has stopped its quick stream.`,
  };
  return words._(texts[action]);
}
