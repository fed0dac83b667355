/** Every call of the HTTP API with its schemas, which make this table too large for the console: it imports the type. */
import { alarmApi } from './alarms.ts';
import { authApi } from './auth.ts';
import type { calls } from './calls.ts';
import { certificateApi } from './certificates.ts';
import { channelApi } from './channels.ts';
import { deviceActionApi } from './device-action-calls.ts';
import { deviceClashApi } from './device-clashes.ts';
import { deviceGroupApi } from './device-groups.ts';
import { deviceUpgradeApi } from './device-upgrades.ts';
import { deviceApi } from './devices.ts';
import { firewallApi } from './firewall.ts';
import { firmwareApi } from './firmware.ts';
import { forwardApi } from './forwards.ts';
import { inputApi } from './inputs.ts';
import { logApi } from './logs.ts';
import { ndiPresetApi } from './ndi-presets.ts';
import { ndiRouterApi, ndiSalvoApi, ndiSourceApi } from './ndi-router.ts';
import { ndiRuntimeApi } from './ndi-runtime.ts';
import { networkApi } from './network.ts';
import { outputApi } from './outputs.ts';
import { powerApi } from './power.ts';
import { presetApi } from './presets.ts';
import { previewApi } from './preview.ts';
import { routeApi } from './routes.ts';
import { runHistoryApi } from './run-history.ts';
import { scheduleApi } from './schedules.ts';
import { serverApi } from './servers.ts';
import { sessionsApi } from './sessions.ts';
import { settingsApi } from './settings.ts';
import { settingsFileApi } from './settings-file.ts';
import { systemApi } from './system.ts';
import { systemLogApi } from './system-log.ts';
import { taskApi } from './tasks.ts';
import { timeApi } from './time.ts';
import { tokenApi } from './tokens.ts';
import { userApi } from './users.ts';
import { wifiApi } from './wifi.ts';

export const api = {
  alarms: alarmApi,
  auth: authApi,
  certificates: certificateApi,
  channels: channelApi,
  devices: deviceApi,
  deviceActions: deviceActionApi,
  deviceClashes: deviceClashApi,
  deviceGroups: deviceGroupApi,
  deviceUpgrades: deviceUpgradeApi,
  firewall: firewallApi,
  firmware: firmwareApi,
  forwards: forwardApi,
  inputs: inputApi,
  logs: logApi,
  network: networkApi,
  ndiPresets: ndiPresetApi,
  ndiRouter: ndiRouterApi,
  ndiRuntime: ndiRuntimeApi,
  ndiSalvos: ndiSalvoApi,
  ndiSources: ndiSourceApi,
  outputs: outputApi,
  presets: presetApi,
  routes: routeApi,
  runHistory: runHistoryApi,
  schedules: scheduleApi,
  servers: serverApi,
  preview: previewApi,
  sessions: sessionsApi,
  power: powerApi,
  settings: settingsApi,
  settingsFile: settingsFileApi,
  system: systemApi,
  systemLog: systemLogApi,
  tasks: taskApi,
  time: timeApi,
  tokens: tokenApi,
  users: userApi,
  wifi: wifiApi,
} as const satisfies Record<keyof typeof calls, unknown>;
