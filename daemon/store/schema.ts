/** Tables for queries. The SQL that creates them is in migrations/; a test compares the two. */
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { AlarmRules } from '../contract/alarm-fields.ts';
import type { AlarmKind, MailAttempt, WebhookAttempt } from '../contract/alarms.ts';
import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceConnection } from '../contract/device-fields.ts';
import type { FailoverRule } from '../contract/failover.ts';
import type { OperationChange } from '../contract/logs.ts';
import type { ChannelNdi } from '../contract/ndi.ts';
import type { RunPart } from '../contract/streams.ts';
import type { Task, TaskItem } from '../contract/tasks.ts';

export { firewall, firewallRules } from './firewall-tables.ts';
export { firmwareFiles } from './firmware-tables.ts';
export { forwardPorts, forwards } from './forward-tables.ts';
export { ndiInputs, ndiOutputs, ndiPresets, ndiRouter, ndiSalvos } from './ndi-router-tables.ts';

export { schedules } from './schedule-table.ts';

/** Increases with every change that conflicts with other edits; only revisions.ts changes it. */
const revision = () => integer('revision').notNull().default(1);

export const userGroups = sqliteTable('user_groups', {
  /** A single bit; 1 Admin, 2 User, 4 Viewer. */
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  description: text('description').notNull().default(''),
  type: integer('type').notNull(),
  permissionMask: integer('permission_mask').notNull(),
  /** Also increases when its members change. */
  revision: revision(),
});

export const users = sqliteTable('users', {
  /** A single bit, because favorites and visibility are masks of user ids; 1 for Admin. */
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  groupId: integer('group_id')
    .notNull()
    .references(() => userGroups.id),
  /** argon2id over the lower-case MD5 hex of the password; null until it is set on the setup page. */
  passwordHash: text('password_hash'),
  createdAt: integer('created_at').notNull(),
  nick: text('nick').notNull().default(''),
  revision: revision(),
  /** Sealed; verifies proofs of the password. Null for users of older hubs until their next sign-in. */
  signInKey: text('sign_in_key'),
});

export const sessions = sqliteTable(
  'sessions',
  {
    /** SHA-256 of the session token: a stolen database does not grant access. */
    idHash: text('id_hash').primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    address: text('address').notNull(),
    /** User agent of the browser or program. */
    agent: text('agent').notNull().default(''),
    /** Does not end from inactivity, as long as its user may only view. */
    stays: integer('stays', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('sessions_by_user').on(table.userId)],
);

export const accessTokens = sqliteTable(
  'access_tokens',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** SHA-256: a stolen database does not grant access. */
    hash: text('hash').notNull().unique(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    permissionMask: integer('permission_mask').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null: never expires. */
    expiresAt: integer('expires_at'),
    lastUsedAt: integer('last_used_at'),
    lastAddress: text('last_address').notNull().default(''),
  },
  (table) => [index('access_tokens_by_user').on(table.userId)],
);

/** One JSON value per group of settings. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  revision: revision(),
});

export const inputs = sqliteTable('inputs', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  protocol: integer('protocol').notNull(),
  /** JSON of the typed address, without secrets. */
  config: text('config').notNull(),
  /** Encrypted JSON of the secrets, or null. */
  secret: text('secret'),
  createdAt: integer('created_at').notNull(),
  revision: revision(),
});

export const channels = sqliteTable(
  'channels',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull().unique(),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    playKey: text('play_key').notNull().unique(),
    pushKey: text('push_key').notNull().unique(),
    allowRtmp: integer('allow_rtmp', { mode: 'boolean' }).notNull(),
    allowSrt: integer('allow_srt', { mode: 'boolean' }).notNull(),
    allowNdiHx: integer('allow_ndi_hx', { mode: 'boolean' }).notNull(),
    preferredProtocol: integer('preferred_protocol').notNull(),
    /** Null: a publisher with the push key. */
    inputId: integer('input_id').references(() => inputs.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    backupInputId: integer('backup_input_id').references(() => inputs.id, { onDelete: 'set null' }),
    /** Members of the rule that were set; the others have their defaults. */
    failover: text('failover', { mode: 'json' }).$type<Partial<FailoverRule>>(),
    /** Name of the slate image in its folder. */
    slate: text('slate'),
    /** Settings of the NDI source that were changed; `allowNdiHx` enables it. */
    ndi: text('ndi', { mode: 'json' }).$type<Partial<Omit<ChannelNdi, 'enable'>>>(),
    revision: revision(),
    /** Whether a new publisher replaces one that is still sending. */
    takeover: integer('takeover', { mode: 'boolean' }).notNull().default(false),
    /** The device that publishes to the channel, with a push key of its own. */
    inputDeviceId: integer('input_device_id').references((): AnySQLiteColumn => devices.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('channels_by_input').on(table.inputId),
    index('channels_by_backup_input').on(table.backupInputId),
    uniqueIndex('channels_by_input_device').on(table.inputDeviceId),
  ],
);

/** Who may see a device or a group of devices. */
const security = () => ({
  isInherited: integer('is_inherited', { mode: 'boolean' }).notNull(),
  groupMask: integer('group_mask').notNull(),
  userMask: integer('user_mask').notNull(),
});

/** A tree of at most `limits.deviceGroups.depth` levels. */
export const deviceGroups = sqliteTable('device_groups', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** Null: top level. */
  parentId: integer('parent_id').references((): AnySQLiteColumn => deviceGroups.id),
  /** Unique among the groups of the same parent. */
  name: text('name').notNull(),
  ...security(),
  createdAt: integer('created_at').notNull(),
  revision: revision(),
});

/** Encoders, decoders and other devices: waiting for approval, accepted or rejected. */
export const devices = sqliteTable(
  'devices',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Serial number. */
    sn: text('sn').notNull().unique(),
    name: text('name').notNull(),
    /** The name that the device stated last. */
    ownName: text('own_name').notNull(),
    /** One of `regStates`. */
    regState: integer('reg_state').notNull(),
    /** When the device applied or was approved, in milliseconds since 1970. */
    appliedAt: integer('applied_at').notNull(),
    /** Null: none. */
    groupId: integer('group_id').references(() => deviceGroups.id),
    /** Id of the family. */
    module: integer('module').notNull(),
    productId: integer('product_id').notNull(),
    model: text('model').notNull(),
    hardwareVersion: text('hardware_version').notNull(),
    firmwareVersion: text('firmware_version').notNull(),
    ...security(),
    /** Mask of the users whose favorite it is. */
    favorites: integer('favorites').notNull().default(0),
    /** How it sends to the hub and plays from it; null: as all devices. */
    connection: text('connection', { mode: 'json' }).$type<DeviceConnection>(),
    pushKey: text('push_key').notNull().unique(),
    /** How the hub reaches it: at its address, or through the agent on it. */
    link: text('link', { enum: ['direct', 'agent'] }).notNull(),
    api: text('api').$type<DeviceApi>().notNull(),
    /** Empty for a device with an agent. */
    address: text('address').notNull().default(''),
    user: text('user').notNull().default(''),
    /** Sealed; null for none. */
    password: text('password'),
    /** SHA-256 of the accepted certificate; empty for none. */
    pin: text('pin').notNull().default(''),
    /** Public key of the agent; empty for none. */
    agentKey: text('agent_key').notNull().default(''),
    /** The channel that a decoder plays. */
    playsChannelId: integer('plays_channel_id').references(() => channels.id, { onDelete: 'set null' }),
    revision: revision(),
    /** Of a device that is a stream: its address and that of its picture, sealed. */
    stream: text('stream'),
    /** What it was told last to send and to play. Sealed; null for nothing. */
    told: text('told'),
    /** Of a device of the API `v1`: its UDP port for OSC; null for all others. */
    oscPort: integer('osc_port'),
    /** The stream that a device has stated, while it is the input of a channel. Sealed; null for all others. */
    pulled: text('pulled'),
  },
  (table) => [index('devices_by_channel').on(table.playsChannelId)],
);

/** Devices that state the serial number of a known one, until somebody decides. */
export const deviceClashes = sqliteTable(
  'device_clashes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The known device. */
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    link: text('link', { enum: ['direct', 'agent'] }).notNull(),
    /** What tells it from others with this serial number: the key of its agent, otherwise its address. */
    mark: text('mark').notNull(),
    /** Where it was seen. */
    address: text('address').notNull(),
    api: text('api').$type<DeviceApi>().notNull(),
    name: text('name').notNull(),
    model: text('model').notNull(),
    user: text('user').notNull(),
    /** Sealed; null for none. */
    password: text('password'),
    pin: text('pin').notNull(),
    firstSeen: integer('first_seen').notNull(),
    lastSeen: integer('last_seen').notNull(),
    count: integer('count').notNull(),
    /** Somebody has kept the known device: the other one is refused without being raised again. */
    kept: integer('kept', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [uniqueIndex('device_clashes_by_mark').on(table.deviceId, table.link, table.mark)],
);

export const outputs = sqliteTable(
  'outputs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull().unique(),
    protocol: integer('protocol').notNull(),
    config: text('config').notNull(),
    secret: text('secret'),
    channelId: integer('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    revision: revision(),
  },
  (table) => [index('outputs_by_channel').on(table.channelId)],
);

/** Named destinations. */
export const servers = sqliteTable('servers', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  /** One of `serverTypes`. */
  type: integer('type').notNull(),
  /** JSON of the address, without secrets. */
  config: text('config').notNull(),
  /** Encrypted JSON of its stream keys and other secrets. */
  secret: text('secret').notNull(),
  createdAt: integer('created_at').notNull(),
  revision: revision(),
});

/** Addresses of inputs and outputs, stored by name. */
export const presets = sqliteTable(
  'presets',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** 256 for inputs, 512 for outputs. */
    dir: integer('dir').notNull(),
    protocol: integer('protocol').notNull(),
    config: text('config').notNull(),
    secret: text('secret'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('presets_by_name').on(table.dir, table.name)],
);

export const operationLog = sqliteTable(
  'operation_log',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    time: integer('time').notNull(),
    user: text('user').notNull(),
    ip: text('ip').notNull(),
    action: text('action').notNull(),
    detail: text('detail').notNull(),
    result: integer('result').notNull(),
    subject: text('subject'),
    changes: text('changes', { mode: 'json' }).$type<OperationChange[]>(),
    /** Name of the access token, or ''. */
    via: text('via').notNull().default(''),
  },
  (table) => [
    index('operation_log_by_time').on(table.time),
    index('operation_log_in_order').on(table.id, table.time, table.result),
    index('operation_log_by_user').on(table.user, table.id, table.time, table.result),
  ],
);

/** The log entry of each revision; deleted with the entry. */
export const edits = sqliteTable(
  'edits',
  {
    /** Noun and id, such as `channel 100002`. */
    object: text('object').notNull(),
    revision: integer('revision').notNull(),
    entryId: integer('entry_id')
      .notNull()
      .references(() => operationLog.id, { onDelete: 'cascade' }),
  },
  (table) => [
    uniqueIndex('edits_by_object').on(table.object, table.revision),
    index('edits_by_entry').on(table.entryId),
  ],
);

/** State changes of a channel, its input and its outputs. */
export const runEvents = sqliteTable(
  'run_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    channelId: integer('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    time: integer('time').notNull(),
    what: text('what').$type<RunPart>().notNull(),
    /** 0 unless the event is about an output. */
    outputId: integer('output_id').notNull(),
    /** Name at that time. */
    name: text('name').notNull(),
    fromState: text('from_state').notNull(),
    toState: text('to_state').notNull(),
    reason: text('reason').notNull(),
    /** The user who made a switch; empty if none did. */
    by: text('by').notNull().default(''),
    /** For how long the condition for a switch held, in milliseconds; 0 if it needed no time. */
    afterMs: integer('after_ms').notNull().default(0),
  },
  (table) => [index('run_events_by_channel').on(table.channelId, table.id), index('run_events_by_time').on(table.time)],
);

/** Keys are unique in the hub across push and play: one table for both, maintained by triggers. */
export const streamKeys = sqliteTable(
  'stream_keys',
  {
    key: text('key').primaryKey(),
    channelId: integer('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ['play', 'push'] }).notNull(),
  },
  (table) => [uniqueIndex('stream_keys_by_channel').on(table.channelId, table.kind)],
);

/** Names at the time of the alarm, which outlives its channel and output. */
export const alarms = sqliteTable(
  'alarms',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    kind: text('kind').$type<AlarmKind>().notNull(),
    /** 0 for the hub itself, and for devices. */
    channelId: integer('channel_id').notNull(),
    channelName: text('channel_name').notNull(),
    /** 0 if it is not about an output. */
    outputId: integer('output_id').notNull(),
    outputName: text('output_name').notNull(),
    threshold: real('threshold').notNull(),
    peak: real('peak').notNull(),
    raisedAt: integer('raised_at').notNull(),
    /** Null while the alarm is active. */
    clearedAt: integer('cleared_at'),
    /** A word from the contract; empty for kinds without a reason. */
    reason: text('reason').notNull().default(''),
    /** Name of the user who acknowledged it; empty until then. */
    seenBy: text('seen_by').notNull().default(''),
    seenAt: integer('seen_at').notNull().default(0),
    /** Null: not muted; 0: until it is cleared. */
    mutedUntil: integer('muted_until'),
    /** Serial number; empty if it is not about one device. */
    device: text('device').notNull().default(''),
  },
  (table) => [index('alarms_by_channel').on(table.channelId), index('alarms_by_end').on(table.clearedAt)],
);

/** Channels whose new alarms are muted; 0 is the hub itself. */
export const alarmMutes = sqliteTable('alarm_mutes', {
  channelId: integer('channel_id').primaryKey(),
  /** Milliseconds since 1970. */
  until: integer('until').notNull(),
});

/** Devices whose new alarms are muted. */
export const alarmDeviceMutes = sqliteTable('alarm_device_mutes', {
  /** Serial number. */
  device: text('device').primaryKey(),
  /** Milliseconds since 1970. */
  until: integer('until').notNull(),
});

/** A channel without a row has the default rules. */
export const alarmRules = sqliteTable('alarm_rules', {
  channelId: integer('channel_id')
    .primaryKey()
    .references(() => channels.id, { onDelete: 'cascade' }),
  rules: text('rules', { mode: 'json' }).$type<Partial<AlarmRules>>().notNull(),
  revision: revision(),
});

/** At most one row, created when the webhook is first set. */
export const alarmWebhook = sqliteTable('alarm_webhook', {
  id: integer('id').primaryKey(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  /** Sealed; '' for none. */
  url: text('url').notNull(),
  /** Sealed; null for none. */
  secret: text('secret'),
  revision: revision(),
});

/** Events of alarms that the webhook or the mail server has yet to accept, in order. */
export const alarmDeliveries = sqliteTable('alarm_deliveries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** JSON with `event`, `time` and `alarm`. */
  body: text('body').notNull(),
  target: text('target').$type<'webhook' | 'mail'>().notNull(),
});

/** Outcomes of deliveries. */
export const alarmTargets = sqliteTable('alarm_targets', {
  name: text('name').$type<'webhook' | 'mail'>().primaryKey(),
  /** Events discarded because the queue was full. */
  dropped: integer('dropped').notNull(),
  /** The last attempt. */
  last: text('last', { mode: 'json' }).$type<(WebhookAttempt | MailAttempt) & { time: number }>(),
  /** When the last event was accepted, milliseconds since 1970; 0: never. */
  acceptedAt: integer('accepted_at').notNull(),
});

/** Changed settings that wait to be confirmed. */
export const unconfirmedSettings = sqliteTable('unconfirmed_settings', {
  name: text('name').primaryKey(),
  /** The value before; null if none was stored. */
  previous: text('previous', { mode: 'json' }).$type<unknown>(),
  /** Milliseconds since 1970. */
  deadline: integer('deadline').notNull(),
});

export const tasks = sqliteTable(
  'tasks',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** 0 if the owner was deleted. */
    ownerId: integer('owner_id').notNull(),
    /** 0 while it runs. */
    endedAt: integer('ended_at').notNull(),
    /** As the API shows it, without its id. */
    task: text('task', { mode: 'json' }).$type<Omit<Task, 'id'>>().notNull(),
    /** What its kind needs to continue after a restart; null if it cannot. */
    data: text('data', { mode: 'json' }).$type<unknown>(),
    /** The access token that it was started with; 0: none. */
    tokenId: integer('token_id').notNull().default(0),
  },
  (table) => [index('tasks_by_end').on(table.endedAt, table.id)],
);

export const taskItems = sqliteTable(
  'task_items',
  {
    taskId: integer('task_id')
      .notNull()
      .references(() => tasks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    item: text('item', { mode: 'json' }).$type<TaskItem>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.position] })],
);
