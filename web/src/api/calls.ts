/** The calls of the API, typed by their schemas. The console has each call's row of `calls.ts`, not the schemas. */
import type { api } from '../../../daemon/contract/api.ts';
import { calls } from '../../../daemon/contract/calls.ts';

export const {
  alarms: alarmApi,
  auth: authApi,
  channels: channelApi,
  deviceActions: deviceActionApi,
  deviceClashes: deviceClashApi,
  deviceGroups: deviceGroupApi,
  deviceUpgrades: deviceUpgradeApi,
  devices: deviceApi,
  firmware: firmwareApi,
  forwards: forwardApi,
  inputs: inputApi,
  logs: logApi,
  network: networkApi,
  outputs: outputApi,
  presets: presetApi,
  preview: previewApi,
  runHistory: runHistoryApi,
  schedules: scheduleApi,
  servers: serverApi,
  sessions: sessionsApi,
  power: powerApi,
  settings: settingsApi,
  settingsFile: settingsFileApi,
  system: systemApi,
  systemLog: systemLogApi,
  tasks: taskApi,
  tokens: tokenApi,
  users: userApi,
} = calls as unknown as typeof api;
