/** Text for the operation log: what was done, and why it was refused. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ChangeWord, Operation } from '../../../../daemon/contract/logs.ts';
import { type ResultName, resultName } from '../../../../daemon/contract/result.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { alarmKindText } from '../../i18n/alarm-text.ts';
import { actionWord } from '../../i18n/device-action-text.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { taskKindText } from '../../i18n/task-text.ts';
import { CallError } from '../../lib/call-error.ts';
import { weekDay } from '../../lib/week-days.ts';
import { ndiChanges, ndiOperationTexts } from './ndi-operation-text.ts';

/** By the word of an entry: usually its action, sometimes with its result or the value that was set. */
export const operationTexts = {
  'session.start': msg`Signed in`,
  'session.refused': msg`Tried to sign in`,
  'session.end': msg`Signed out`,
  'setup.finish': msg`Set up the hub`,
  'settings.set': msg`Changed settings`,
  'settings.reveal': msg`Revealed a secret setting`,
  'settings.upload': msg`Uploaded a certificate file`,
  'settings.request': msg`Made a certificate request`,
  'settings.export': msg`Exported the settings`,
  'settings.import': msg`Imported settings`,
  'system.reset': msg`Reset all settings`,
  'system.reboot': msg`Restarted the hub`,
  'channel.add': msg`Added a channel`,
  'channel.set': msg`Changed a channel`,
  'channel.del': msg`Deleted a channel`,
  'channel.reveal': msg`Revealed the push key of a channel`,
  'channel.enable': msg`Started or stopped a channel`,
  'channel.enable.true': msg`Started a channel`,
  'channel.enable.false': msg`Stopped a channel`,
  'channel.setInput': msg`Changed the input of a channel`,
  'channel.switchInput': msg`Switched the input of a channel`,
  'channel.setSlate': msg`Set the slate picture of a channel`,
  'channel.delSlate': msg`Removed the slate picture of a channel`,
  'channel.addOutput': msg`Added an output to a channel`,
  'channel.delOutput': msg`Removed an output from a channel`,
  'channel.disconnectClient': msg`Disconnected a client`,
  'channel.enableOutput': msg`Switched an output`,
  'channel.enableOutput.true': msg`Switched an output on`,
  'channel.enableOutput.false': msg`Switched an output off`,
  'input.add': msg`Added an input`,
  'input.set': msg`Changed an input`,
  'input.del': msg`Deleted an input`,
  'input.reveal': msg`Revealed the keys of an input`,
  'output.add': msg`Added an output`,
  'output.set': msg`Changed an output`,
  'output.del': msg`Deleted an output`,
  'output.reveal': msg`Revealed the keys of an output`,
  'server.add': msg`Added a destination`,
  'server.set': msg`Changed a destination`,
  'server.del': msg`Deleted a destination`,
  'preset.add': msg`Saved a preset`,
  'preset.set': msg`Replaced a preset`,
  'preset.del': msg`Deleted a preset`,
  'session.endOther': msg`Ended another session`,
  'session.stay': msg`Enabled “Stay signed in on this screen”`,
  'session.noStay': msg`Disabled “Stay signed in on this screen”`,
  'user.add': msg`Added a user`,
  'user.set': msg`Changed a user`,
  'user.del': msg`Deleted a user`,
  'user.password': msg`Set a password`,
  'user.reset': msg`Reset the password of Admin on the hub's machine`,
  'group.add': msg`Added a user group`,
  'group.set': msg`Changed a user group`,
  'group.del': msg`Deleted a user group`,
  'token.add': msg`Added an access token`,
  'time.set': msg`Changed the clock`,
  'system.hostName': msg`Changed the host name`,
  'settings.confirm': msg`Confirmed a change of settings`,
  'settings.revert': msg`Reverted settings that were not confirmed`,
  'system.supportFile': msg`Downloaded a support file`,
  'system.restartPart': msg`Restarted a component of the hub`,
  'task.cancel': msg`Canceled a task`,
  'token.del': msg`Deleted an access token`,
  'device.add': msg`Added a device`,
  'device.discover': msg`Looked for devices`,
  'device.accept': msg`Approved a device`,
  'device.reject': msg`Rejected a device`,
  'device.del': msg`Deleted a device`,
  'device.set': msg`Changed a device`,
  'device.move': msg`Moved a device to another group`,
  'device.config': msg`Changed how a device connects`,
  'device.security': msg`Changed the visibility of a device`,
  'device.favorite': msg`Made a device a favorite`,
  'device.noFavorite': msg`Removed a device from the favorites`,
  'device.play': msg`Let a device play a channel`,
  'device.noPlay': msg`Ended the playback of a device`,
  'device.console': msg`Opened the web page of a device`,
  'device.reveal': msg`Viewed the push key of a device`,
  'device.renewKey': msg`Renewed the push key of a device`,
  'device.keepOther': msg`Kept a device in a serial number conflict`,
  'device.replaceOther': msg`Replaced a device by another one with its serial number`,
  'device.dismissOther': msg`Dismissed a serial number conflict`,
  'device.bulk': msg`Controlled several devices`,
  'device.rename': msg`Renamed a device`,
  'device.reboot': msg`Restarted a device`,
  'device.record-start': msg`Started the recording of a device`,
  'device.record-stop': msg`Stopped the recording of a device`,
  'device.live-start': msg`Started the live stream of a device`,
  'device.live-stop': msg`Stopped the live stream of a device`,
  'device.quick-start': msg`Started the quick stream of a device`,
  'device.quick-stop': msg`Stopped the quick stream of a device`,
  'device.global': msg`Changed the settings for all devices`,
  'forward.add': msg`Added a port forward`,
  'forward.set': msg`Changed a port forward`,
  'forward.del': msg`Deleted a port forward`,
  'forward.start': msg`Started a port forward`,
  'forward.stop': msg`Stopped a port forward`,
  'forward.connect': msg`Connected to a port forward`,
  'forward.disconnect': msg`Disconnected from a port forward`,
  'forward.setPorts': msg`Changed which ports of a device can be forwarded`,
  'deviceGroup.add': msg`Added a device group`,
  'deviceGroup.set': msg`Changed a device group`,
  'deviceGroup.del': msg`Deleted a device group`,
  'device.upgrade': msg`Upgraded the firmware of a device`,
  'devices.upgrade': msg`Started a firmware upgrade of several devices`,
  'network.set': msg`Changed the network`,
  'route.add': msg`Added a network route`,
  'route.set': msg`Changed a network route`,
  'route.del': msg`Deleted a network route`,
  ...ndiOperationTexts,
  'wifi.join': msg`Joined a Wi-Fi network`,
  'wifi.forget': msg`Forgot a Wi-Fi network`,
  'network.identify': msg`Made the lights of a port blink`,
  'network.cancel': msg`Undid a change of the network`,
  'change.confirm': msg`Confirmed a change`,
  'change.undo': msg`Undid a change that was not confirmed or did not work`,
  'firewall.set': msg`Changed the firewall`,
  'firewall.addRule': msg`Added a firewall rule`,
  'firewall.setRule': msg`Changed a firewall rule`,
  'firewall.delRule': msg`Deleted firewall rules`,
  'firewall.restore': msg`Restored the firewall, which another program had changed`,
  'schedule.add': msg`Added a schedule`,
  'schedule.set': msg`Changed a schedule`,
  'schedule.del': msg`Deleted a schedule`,
  'schedule.start': msg`Ran the start of a schedule`,
  'schedule.stop': msg`Ran the stop of a schedule`,
  'firmware.add': msg`Added a firmware file`,
  'firmware.del': msg`Deleted a firmware file`,
  'alarm.rules': msg`Changed the alarms of a channel`,
  'alarm.clear': msg`Cleared the alarm history`,
  'alarm.acknowledge': msg`Acknowledged an alarm`,
  'alarm.mute': msg`Muted alarms`,
  'alarm.unmute': msg`Unmuted alarms`,
} satisfies Record<string, MessageDescriptor>;
type OperationWord = keyof typeof operationTexts;

function isWord(text: string): text is OperationWord {
  return Object.hasOwn(operationTexts, text);
}

/** Undefined for an action of a newer hub. */
export function operationWord({ action, detail, result }: Pick<Operation, 'action' | 'detail' | 'result'>) {
  if (action === 'session.start' && result !== 0) return 'session.refused';
  const [, value = ''] = / enabled (true|false)$/.exec(detail) ?? [];
  return [`${action}.${value}`, action].find(isWord);
}

/** Omits the enabled state if the word already expresses it. */
export function operationDetail(operation: Pick<Operation, 'action' | 'detail' | 'result'>): string {
  const isInWord = /\.(true|false)$/.test(operationWord(operation) ?? '');
  return isInWord ? operation.detail.replace(/:? enabled (true|false)$/, '') : operation.detail;
}

/** The action itself for operations of a newer hub. */
export function operationText(i18n: I18n, operation: Pick<Operation, 'action' | 'detail' | 'result'>): string {
  const word = operationWord(operation);
  return word === undefined ? operation.action : i18n._(operationTexts[word]);
}

function preferring(protocol: string): MessageDescriptor {
  return msg`prefers ${protocol}`;
}

const notPossible = msg`the system could not do it`;
const allOpen = msg`all ports open`;
const firewallModes: Readonly<Record<string, MessageDescriptor>> = {
  rules: msg`ports by rules`,
  closed: msg`all ports closed`,
  open: allOpen,
};
/** By a word of `changeFailures` or `changeOutcomes`. */
const undoneBecause: Readonly<Record<string, MessageDescriptor>> = {
  expired: msg`not confirmed in time`,
  interrupted: msg`the machine restarted`,
  noDhcp: msg`no answer from a DHCP server`,
  addressInUse: msg`another host has this address`,
  noCable: msg`no cable`,
  refused: msg`refused by the system`,
  timeout: msg`timed out`,
  wrongKey: msg`wrong key`,
  outOfRange: msg`out of range`,
  accessPoint: msg`refused by the access point`,
  other: notPossible,
};

/** The value is the kind and its thresholds: `no-audio 5 s`. */
function alarmOn(value: string, i18n: I18n): MessageDescriptor {
  const [, kind = '', limit = ''] = /^(\S+) ?(.*)$/.exec(value) ?? [];
  const name = alarmKindText(i18n, kind);
  return msg`“${name}” at ${limit}`;
}

function alarmOff(name: string): MessageDescriptor {
  return msg`“${name}” off`;
}

function alarmNamed(name: string): MessageDescriptor {
  return msg`“${name}”`;
}

function backBy(value: string): MessageDescriptor {
  if (value === 'never') return msg`switches back only when the backup is lost`;
  return value === 'hand' ? msg`switches back manually` : msg`switches back automatically`;
}

function slateOf(value: string): MessageDescriptor {
  if (value === 'none') return msg`without a slate`;
  return value === 'bars' ? msg`color bars as slate` : msg`a picture as slate`;
}

function ndiBy(value: string): MessageDescriptor {
  const [transport, group = ''] = value.split(' ');
  if (transport === 'multicast') return group === '' ? msg`NDI by multicast` : msg`NDI by multicast to ${group}`;
  if (transport === 'unicast') return msg`NDI by unicast`;
  return transport === 'multiTcp' ? msg`NDI over several TCP connections` : msg`NDI over reliable UDP`;
}
const granted = (names: string) => msg`may now: ${names}`;
const until = (time: string) => msg`until ${time}`;
const revoked = (names: string) => msg`may no longer: ${names}`;

/** The reasons for which the hub stops a forward by itself. */
function stopReason(reason: string): MessageDescriptor {
  return reason === 'unused' ? msg`idle limit reached` : msg`permission lost`;
}

/** Words without a text show their value unchanged. */
const onDays = (days: string) => msg`on ${days}`;
const changes = {
  name: (value) => msg`new name “${value}”`,
  address: (value) => msg`new address ${value}`,
  firstAddress: undefined,
  copyOf: (value) => msg`copy of “${value}”`,
  forChannel: (value) => msg`for ${value}`,
  enabled: (value) => (value === 'true' ? msg`started` : msg`stopped`),
  playKey: () => msg`new play key`,
  pushKey: () => msg`new push key`,
  allowRtmp: (value) => (value === 'true' ? msg`with RTMP` : msg`without RTMP`),
  allowSrt: (value) => (value === 'true' ? msg`with SRT` : msg`without SRT`),
  allowNdiHx: (value) => (value === 'true' ? msg`with NDI` : msg`without NDI`),
  ndi: (value) => ndiBy(value),
  takeover: (value) =>
    value === 'true' ? msg`new publishers take over at once` : msg`new publishers wait until the old one is silent`,
  preferredProtocol: (value) => preferring(protocolOf(Number(value))?.toUpperCase() ?? value),
  input: undefined,
  noInput: () => msg`encoder push (channel key)`,
  backup: (value) => msg`backup “${value}”`,
  noBackup: () => msg`without a backup`,
  standby: (value) => (value === 'hot' ? msg`hot standby` : msg`cold standby`),
  lostAfter: (value) => msg`lost after ${value} ms without data`,
  lostWithoutVideo: (value) => (value === '0' ? msg`video not checked` : msg`lost after ${value} ms without video`),
  lostWithoutAudio: (value) => (value === '0' ? msg`audio not checked` : msg`lost after ${value} ms without audio`),
  back: (value) => backBy(value),
  stableFor: (value) => msg`stable for ${value} s`,
  slate: (value) => slateOf(value),
  switchedTo: (value) => (value === 'main' ? msg`to the main input` : msg`to the backup`),
  output: undefined,
  outputOn: undefined,
  outputOff: undefined,
  client: undefined,
  port: (value) => msg`port ${value}`,
  latency: (value) => msg`latency ${value} ms`,
  encryption: undefined,
  noEncryption: () => msg`without encryption`,
  httpPort: (value) => msg`HTTP port ${value}`,
  httpsPort: (value) => msg`HTTPS port ${value}`,
  noHttps: () => msg`without HTTPS`,
  httpRedirected: () => msg`HTTP redirected to HTTPS`,
  hsts: () => msg`with HSTS`,
  httpsCertificate: () => msg`new certificate`,
  sessionMinutes: (value) => msg`end after ${value} min`,
  noExpiry: () => msg`no expiration`,
  alarm: (value, i18n) => alarmNamed(alarmKindText(i18n, value)),
  mutedFor: (value) => (value === '0' ? msg`until cleared` : msg`for ${value} min`),
  alarmOn,
  alarmOff: (value, i18n) => alarmOff(alarmKindText(i18n, value)),
  secret: () => msg`new secret`,
  noSecret: () => msg`without a secret`,
  nick: (value) => msg`display name “${value}”`,
  noNick: () => msg`without a display name`,
  group: (value) => msg`group “${value}”`,
  password: () => msg`new password`,
  invitationCode: () => msg`devices need the invitation code`,
  noInvitationCode: () => msg`devices need no invitation code`,
  noHubName: () => msg`host name`,
  language: (value) => (value === 'auto' ? msg`Browser language` : value === 'zh' ? msg`Chinese` : msg`English`),
  privateMedia: (value) =>
    value === 'true' ? msg`media to private addresses allowed` : msg`media to private addresses refused`,
  privateWebhook: (value) =>
    value === 'true'
      ? msg`webhook and mail to private addresses allowed`
      : msg`webhook and mail to private addresses refused`,
  mailOn: () => msg`switched on`,
  mailOff: () => msg`switched off`,
  recipients: (value) => msg`recipients ${value}`,
  passwordRule: (value) => (value === '' ? msg`no password rule` : msg`password rule: ${value}`),
  granted: (value, i18n) => granted(permissionNames(i18n, value)),
  revoked: (value, i18n) => revoked(permissionNames(i18n, value)),
  members: (value) => msg`members ${value}`,
  noMembers: () => msg`no members`,
  owner: (value) => msg`of “${value}”`,
  expires: (value, i18n) => until(i18n.date(value, { dateStyle: 'medium', timeStyle: 'short' })),
  md5: () => msg`MD5 of passwords accepted`,
  noMd5: () => msg`MD5 of passwords refused`,
  endedTokens: (value) => msg`access tokens revoked: ${value}`,
  serialNumber: (value) => msg`serial number ${value}`,
  deviceAction: (value, i18n) => msg`action “${taskKindText(i18n, `device.${value}`)}”`,
  deviceReason: (value) => actionWord(value),
  deviceCount: (value) => msg`number of devices ${value}`,
  deviceGroup: (value) => msg`in the group “${value}”`,
  noDeviceGroup: () => msg`in no group`,
  deviceUser: (value) => msg`user “${value}”`,
  certificate: () => msg`new certificate accepted`,
  snapshot: () => msg`address of the picture`,
  oscPort: (value) => msg`OSC port ${value}`,
  visibleTo: (value) => msg`visible to ${value}`,
  visibleToAll: () => msg`visible to all users`,
  visibleToAdmins: () => msg`visible to administrators only`,
  inheritsVisibility: () => msg`visibility inherited`,
  sendsOver: (value) => msg`sends over ${value}`,
  sendsAsUsual: () => msg`sends with the default protocol`,
  subStream: () => msg`sub stream`,
  playsOver: (value) => msg`plays over ${value}`,
  playsAsUsual: () => msg`plays with the default protocol`,
  buffer: (value) => msg`buffer ${value} ms`,
  sha256: (value) => msg`SHA-256 ${value}`,
  preRelease: () => msg`declaration about pre-releases accepted`,
  replaced: (value) => msg`replaces “${value}”`,
  devicePort: (value) => msg`port ${value} of the device`,
  devicePorts: (value) => (value === '' ? msg`no additional ports` : msg`additional ports ${value}`),
  anyPort: () => msg`any free port`,
  permanent: (value) => (value === 'true' ? msg`permanent` : msg`not permanent`),
  idleMinutes: (value) => msg`idle limit ${value} min`,
  noIdleLimit: () => msg`no idle limit`,
  connections: (value) => msg`${value} connections`,
  received: (value) => msg`received ${value}`,
  sent: (value) => msg`sent ${value}`,
  stoppedBecause: (value) => stopReason(value),
  firmwareVersion: (value) => msg`firmware ${value}`,
  scheduleAction: (value) =>
    value === 'record' ? msg`recording` : value === 'live' ? msg`live stream` : msg`quick stream`,
  startsAt: (value) => msg`start at ${value}`,
  stopsAt: (value) => msg`stop at ${value}`,
  onDays: (value, i18n) =>
    onDays(
      value
        .split(',')
        .map((day) => weekDay(i18n, Number(day), 'short'))
        .join(', '),
    ),
  onDate: (value) => msg`on ${value}`,
  ranOn: (value) => msg`on ${value} devices`,
  routeDestination: (value) => msg`destination ${value}`,
  routeGateway: (value) => msg`gateway ${value}`,
  routeInterface: (value) => msg`interface ${value}`,
  ...ndiChanges,
  eth1: (value) => msg`ETH1 ${value}`,
  eth2: (value) => msg`ETH2 ${value}`,
  ntp: (value) => msg`NTP servers ${value}`,
  noNtp: () => msg`NTP off`,
  timeZone: (value) => msg`time zone ${value}`,
  clock: (value) => msg`clock set to ${value}`,
  firewallMode: (value) => firewallModes[value] ?? allOpen,
  firewallPorts: (value) => msg`ports ${value}`,
  firewallProtocol: undefined,
  remark: (value) => msg`remark “${value}”`,
  confirmWithin: (value) => msg`to be confirmed within ${value} s`,
  undoneBecause: (value) => undoneBecause[value] ?? notPossible,
  missedRun: () => msg`missed`,
  upgradeRate: (value) => msg`at most ${value} Mb/s`,
  noUpgradeRate: () => msg`no limit`,
  withSecrets: () => msg`with secrets`,
  importedSection: undefined,
  kept: (value) =>
    value === 'network'
      ? msg`network and ports kept`
      : value === 'firmware'
        ? msg`firmware files kept`
        : msg`logs kept`,
  description: (value) => (value === '' ? msg`without a description` : msg`description “${value}”`),
} satisfies Record<ChangeWord, ((value: string, i18n: I18n) => MessageDescriptor) | undefined>;

const settingsGroups: Readonly<Record<string, MessageDescriptor>> = {
  rtmp: msg`RTMP server`,
  srt: msg`SRT server`,
  web: msg`Web access`,
  'expired-time': msg`Sessions`,
  'pwd-rule': msg`Password rule`,
  'sign-in': msg`Sign-in`,
  outgoing: msg`Outgoing connections`,
  security: msg`Invitation code`,
  language: msg`Language`,
  'hub-name': msg`Hub name`,
  'upgrade-rate': msg`Rate of device upgrades`,
  'ndi-discovery': msg`NDI discovery`,
  'hub-ndi-server': msg`NDI discovery server`,
  videohub: msg`Hardware panels`,
  devices: msg`Devices`,
  'alarm-webhook': msg`Alarm webhook`,
  'device-alarms': msg`Alarms of devices`,
  mail: msg`Alarm mail`,
  all: msg`All settings`,
};

/** Object and changes in the user's language, or the hub's English text if nothing else is available. */
export function detailText(
  i18n: I18n,
  operation: Pick<Operation, 'action' | 'detail' | 'result' | 'subject' | 'changes'>,
): string {
  const { action, subject, changes: list } = operation;
  if (subject === undefined || list === undefined || list.some(({ word }) => !(word in changes))) {
    return operationDetail(operation);
  }
  const isSettings = action.startsWith('settings.') || action === 'system.reset' || action === 'device.global';
  const name = isSettings ? settingsName(i18n, subject) : subject;
  // Already expressed by the action.
  if (list.length === 0 || action === 'channel.enable') return name;
  const parts = list.map(({ word, value = '' }) => {
    const sentence = changes[word]?.(value, i18n);
    return sentence === undefined ? value : i18n._(sentence);
  });
  const words = parts.reduce((before, next) => i18n._(msg`${before}, ${next}`));
  return name === '' ? words : i18n._(msg`${name}: ${words}`);
}

function settingsName(i18n: I18n, group: string): string {
  const text = settingsGroups[group];
  return text === undefined ? group : i18n._(text);
}

/** Unlike on the sign-in page, the log may reveal which of the two was wrong. */
const signInRefusals: Partial<Record<ResultName, MessageDescriptor>> = {
  mismatch: msg`Wrong password`,
  notExist: msg`No such user`,
};

/** What the device answered; the detail has its reason. */
const deviceRefusals: Partial<Record<ResultName, MessageDescriptor>> = {
  authFailed: msg`Refused by the device`,
  noSpace: msg`Refused by the device`,
  notExist: msg`Refused by the device`,
  clientNotExist: msg`No such device`,
  clientOffline: msg`The device is offline.`,
};

export function resultText(i18n: I18n, { action, result }: { action: string; result: number }): string {
  const name = resultName(result);
  const refusals = action === 'session.start' ? signInRefusals : action.startsWith('device.') ? deviceRefusals : {};
  const own = name === undefined ? undefined : refusals[name];
  if (own !== undefined) return i18n._(own);
  const fault = name === undefined || name === 'success' ? 'unknownCode' : name;
  return faultText(i18n, new CallError(fault, { code: result }));
}
