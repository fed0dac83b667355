import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { listOf, Natural, Paging } from './rules.ts';

/** The changed property. The console has a sentence for each word, most of them with the value in it. */
export const changeWords = [
  'name',
  'address',
  /** Of a new output or input. */
  'firstAddress',
  /** Name of the object that the new one was copied from. */
  'copyOf',
  'forChannel',
  /** `true` or `false`; so are the three `allow` words. */
  'enabled',
  'playKey',
  'pushKey',
  'allowRtmp',
  'allowSrt',
  'allowNdiHx',
  /** How the channel's own NDI source is sent: a word of `ndiTransports`, and the multicast group. */
  'ndi',
  /** A bit of `protocolBits`. */
  'preferredProtocol',
  /** `true` or `false`. */
  'takeover',
  'input',
  'noInput',
  'backup',
  'noBackup',
  /** Members of the failover rule, with their values as in the API. */
  'standby',
  'lostAfter',
  'lostWithoutVideo',
  'lostWithoutAudio',
  'back',
  'stableFor',
  'slate',
  /** `main` or `backup`. */
  'switchedTo',
  'output',
  'outputOn',
  'outputOff',
  /** Its address. */
  'client',
  'port',
  'latency',
  'encryption',
  'noEncryption',
  'httpPort',
  'httpsPort',
  'noHttps',
  'httpRedirected',
  'hsts',
  'httpsCertificate',
  'sessionMinutes',
  'noExpiry',
  /** Kind of an alarm that was acknowledged or muted. */
  'alarm',
  /** Minutes; 0: until the alarm is cleared. */
  'mutedFor',
  /** Kind of alarm and its thresholds, such as `no-audio 5 s`. */
  'alarmOn',
  /** Kind of alarm. */
  'alarmOff',
  'secret',
  'noSecret',
  'nick',
  'noNick',
  /** Name of the group. */
  'group',
  'password',
  /** Members that are not 0; empty if there are none. */
  'passwordRule',
  'invitationCode',
  'noInvitationCode',
  /** `true` or `false`: whether inputs and outputs, and the webhook, may connect to private addresses. */
  'privateMedia',
  'privateWebhook',
  /** Mails about alarms. */
  'mailOn',
  'mailOff',
  /** Addresses of mails. */
  'recipients',
  /** The hub has its host name as name. */
  'noHubName',
  /** `en` or `zh`. */
  'language',
  /** Names of the permissions granted and revoked, as in permission.ts. */
  'granted',
  'revoked',
  /** Names of users. */
  'members',
  'noMembers',
  'description',
  /** Name of the user. */
  'owner',
  /** An ISO 8601 date. */
  'expires',
  /** Whether the hub accepts the MD5 of a password instead of the password. */
  'md5',
  'noMd5',
  /** Number of tokens. */
  'endedTokens',
  'serialNumber',
  /** What several devices are told to do (device-actions.ts), and their number. */
  'deviceAction',
  /** Why an action was not done: a reason or a fault (device-actions.ts), or a problem (device-problems.ts). */
  'deviceReason',
  'deviceCount',
  /** Name of the group of devices. */
  'deviceGroup',
  'noDeviceGroup',
  /** Name of the user of a device. */
  'deviceUser',
  'certificate',
  /** The address of a device's picture. */
  'snapshot',
  'oscPort',
  /** Who sees devices. The value has names of user groups and users. */
  'visibleTo',
  'visibleToAll',
  'visibleToAdmins',
  'inheritsVisibility',
  /** `RTMP` or `SRT`; so is `playsOver`. */
  'sendsOver',
  'sendsAsUsual',
  'subStream',
  'playsOver',
  'playsAsUsual',
  /** Milliseconds. */
  'buffer',
  /** Of a file, in hexadecimal. */
  'sha256',
  /** The declaration about pre-releases was accepted. */
  'preRelease',
  /** Name of the file that the new one replaces. */
  'replaced',
  /** Of a port forward: the port of the device. */
  'devicePort',
  /** Ports with commas between; empty for none. */
  'devicePorts',
  /** The hub chooses its port. */
  'anyPort',
  /** `true` or `false`: it starts again with the hub. */
  'permanent',
  'idleMinutes',
  'noIdleLimit',
  /** Number of connections. */
  'connections',
  /** With their unit: bytes from a device, and to it. */
  'received',
  'sent',
  /** One of `forwardReasons`. */
  'stoppedBecause',
  /** Versions before and after, such as `2.3.43 → 2.4.288`. */
  'firmwareVersion',
  /** Of a schedule: a word of `scheduleActions`, times, days as 1 to 7, and a date. */
  'scheduleAction',
  'startsAt',
  'stopsAt',
  'onDays',
  'onDate',
  /** Devices that did it, of all: `8/10`. */
  'ranOn',
  'missedRun',
  /** Mbit/s. */
  /** Servers of NTP; time zone; the time that was set, in ISO 8601. */
  'ntp',
  'noNtp',
  'timeZone',
  'clock',
  /** Settings of an Ethernet port: `DHCP`, or address, gateway and DNS servers. */
  'eth1',
  'eth2',
  /** `rules`, `closed` or `open`. */
  'firewallMode',
  /** A port or a range, and `TCP`, `UDP` or `TCP+UDP`. */
  'firewallPorts',
  'firewallProtocol',
  'remark',
  /** Seconds in which a change must be confirmed. */
  'confirmWithin',
  /** One of `changeFailures` or `changeOutcomes`. */
  'undoneBecause',
  /** Of a static route; the interface is `ETH1`, `ETH2` or `WIFI`. */
  'routeDestination',
  'routeGateway',
  'routeInterface',
  'upgradeRate',
  'noUpgradeRate',
  /** Of an export: with the secrets, encrypted. */
  'withSecrets',
  /** Section of an imported file with the numbers of its objects, such as `inputs +2 ~1 -0`. */
  'importedSection',
  /** Of the NDI router. An input by its number and label, also the one before. */
  'ndiInput',
  'noNdiInput',
  'fromNdiInput',
  /** What routed, if it was not a user alone; the name of the salvo. */
  'bySalvo',
  'byPanel',
  'byFailover',
  'byUndo',
  /** The name of a source on the network. */
  'ndiSource',
  'noNdiSource',
  'label',
  'ndiGroup',
  'failoverInput',
  'noFailoverInput',
  /** `true` or `false`; so is `autoFill`. */
  'failoverWhenLocked',
  'autoFill',
  'baseName',
  /** `16 × 16`. */
  'matrixSize',
  /** The owner of a lock that another user took or opened. */
  'lockOf',
  /** The server for hardware panels: where it listens, then the addresses of panels. */
  'panelsOn',
  'panelsOff',
  'panelAddresses',
  /** The hub's NDI discovery server: its port. */
  'ndiServerOn',
  'ndiServerOff',
  /** Lists with commas between; empty for none. */
  'ndiServers',
  'ndiExtraIps',
  'ndiSendGroups',
  'ndiReceiveGroups',
  /** A word of `salvoPolicies`. */
  'salvoPolicy',
  /** The number of routes. */
  'salvoRoutes',
  /** What a reset keeps: a word of `resetKeeps`. */
  'kept',
] as const;
export type ChangeWord = (typeof changeWords)[number];

export const OperationChange = z.object({ word: z.enum(changeWords), value: z.optional(z.string()) });
export type OperationChange = z.infer<typeof OperationChange>;

/** A change of the hub: who did what to which object, from where, and with what result. */
export const Operation = z.object({
  id: z.int(),
  /** Milliseconds since 1970. */
  time: z.int(),
  user: z.string(),
  ip: z.string(),
  /** Name of the access token that was used; '' for none. */
  via: z.string(),
  /** `noun.verb`, such as `channel.add`. */
  action: z.string(),
  /** Name of the object and the change in English; never contains a secret. */
  detail: z.string(),
  /** The same for translation: name of the object, or group of the settings. Entries of old hubs lack it. */
  subject: z.optional(z.string()),
  changes: z.optional(z.array(OperationChange)),
  /** 0 success, else the result code. */
  result: z.int(),
});
export type Operation = z.infer<typeof Operation>;

/** A change that another user made while this user was editing the same object. */
export const LaterChange = z.required(
  z.pick(Operation, { time: true, user: true, action: true, detail: true, result: true, subject: true, changes: true }),
);
export type LaterChange = z.infer<typeof LaterChange>;

/** Part of a text to search for; entries contain no control characters. */
export const LogKey = z
  .string()
  .check(z.maxLength(limits.logKey.max, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'));

/** Filters of both logs. An entry must match all that are given; texts are not case-sensitive. */
export const logFilter = {
  /** Milliseconds since 1970, both inclusive. */
  from: z.optional(Natural),
  to: z.optional(Natural),
  /** Operation log: part of user, address, action or detail. System log: part of scope or text. */
  key: z.optional(LogKey),
};
const operationFilter = {
  ...logFilter,
  /** The whole name. */
  user: z.optional(z.string().check(z.maxLength(limits.name.max, 'tooLong'))),
  result: z.optional(z.enum(['success', 'failure'], 'choice')),
  /** Id of a device: only changes of it. */
  device: z.optional(Natural),
};
export const OperationFilter = z.object(operationFilter);
export type OperationFilter = z.infer<typeof OperationFilter>;

export const logApi = endpoints(calls.logs, {
  list: {
    summary: 'List the operation log, the newest entry first.',
    query: z.object({
      ...Paging,
      /** Only entries older than this id: `next` of the previous page. Unlike `start`, new entries do not shift it. */
      before: z.optional(Natural),
      ...operationFilter,
    }),
    response: z.object({
      ...listOf(Operation).shape,
      /** `false`: there are more than `total` entries, because counting of a frequent text stops early. */
      counted: z.boolean(),
      /** `before` of the next page; 0 when there is none. */
      next: z.int(),
    }),
  },
});
