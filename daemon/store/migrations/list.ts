import type { Migration } from '../migrate.ts';
import { foundation } from './0001-foundation.ts';
import { operationChanges } from './0002-operation-changes.ts';
import { multicastSource } from './0003-multicast-source.ts';
import { listenerRoom } from './0004-listener-room.ts';
import { alarms } from './0005-alarms.ts';
import { servers } from './0006-servers.ts';
import { presets } from './0007-presets.ts';
import { failover } from './0008-failover.ts';
import { runEvents } from './0009-run-events.ts';
import { channelNdi } from './0010-channel-ndi.ts';
import { people } from './0011-people.ts';
import { operationSearch } from './0012-operation-search.ts';
import { revisions } from './0013-revisions.ts';
import { outgoing } from './0014-outgoing.ts';
import { signInKey } from './0015-sign-in-key.ts';
import { alarmReasons } from './0016-alarm-reasons.ts';
import { takeover } from './0017-takeover.ts';
import { reasonProgram } from './0018-reason-program.ts';
import { tasks } from './0019-tasks.ts';
import { unconfirmedSettings } from './0020-unconfirmed-settings.ts';
import { inputSwitches } from './0021-input-switches.ts';
import { alarmActs } from './0022-alarm-acts.ts';
import { stayingSessions } from './0023-staying-sessions.ts';
import { alarmMail } from './0024-alarm-mail.ts';
import { alarmTargets } from './0025-alarm-targets.ts';
import { devices } from './0026-devices.ts';
import { streamDevices } from './0027-stream-devices.ts';
import { deviceAlarms } from './0028-device-alarms.ts';
import { deviceTold } from './0029-device-told.ts';
import { deviceClashes } from './0030-device-clashes.ts';
import { firmwareFiles } from './0031-firmware-files.ts';
import { deviceOsc } from './0032-device-osc.ts';
import { forwards } from './0033-forwards.ts';
import { devicePulled } from './0034-device-pulled.ts';
import { schedules } from './0035-schedules.ts';
import { principals } from './0036-principals.ts';
import { firewall } from './0037-firewall.ts';
import { ndiRouter } from './0038-ndi-router.ts';

/** In order, without gaps. A released migration must not be changed. */
export const migrations: readonly Migration[] = [
  foundation,
  operationChanges,
  multicastSource,
  listenerRoom,
  alarms,
  servers,
  presets,
  failover,
  runEvents,
  channelNdi,
  people,
  operationSearch,
  revisions,
  outgoing,
  signInKey,
  alarmReasons,
  takeover,
  reasonProgram,
  tasks,
  unconfirmedSettings,
  inputSwitches,
  alarmActs,
  stayingSessions,
  alarmMail,
  alarmTargets,
  devices,
  streamDevices,
  deviceAlarms,
  deviceTold,
  deviceClashes,
  firmwareFiles,
  deviceOsc,
  forwards,
  devicePulled,
  schedules,
  principals,
  firewall,
  ndiRouter,
];
