/** Tables as the queries see them. The SQL that makes them is in migrations/; a test compares the two. */
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AlarmKind, AlarmRules, WebhookAttempt } from '../contract/alarms.ts';
import type { FailoverRule } from '../contract/failover.ts';
import type { OperationChange } from '../contract/logs.ts';
import type { ChannelNdi } from '../contract/ndi.ts';
import type { RunPart } from '../contract/run-history.ts';

/** Grows with every change that others may edit at the same time; revisions.ts alone raises it. */
const revision = () => integer('revision').notNull().default(1);

export const userGroups = sqliteTable('user_groups', {
  /** A single bit; 1 Admin, 2 User, 4 Viewer. */
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  description: text('description').notNull().default(''),
  type: integer('type').notNull(),
  permissionMask: integer('permission_mask').notNull(),
  /** Also with its members. */
  revision: revision(),
});

export const users = sqliteTable('users', {
  /** A single bit, because favourites and visibility are masks of user ids; Admin is 1. */
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  groupId: integer('group_id')
    .notNull()
    .references(() => userGroups.id),
  /** argon2id over the lower-case MD5 hex of the password; null until the set-up page chose one. */
  passwordHash: text('password_hash'),
  createdAt: integer('created_at').notNull(),
  nick: text('nick').notNull().default(''),
  revision: revision(),
  /** Sealed; checks proofs of the password. Null for users of older hubs until their next sign-in. */
  signInKey: text('sign_in_key'),
});

export const sessions = sqliteTable(
  'sessions',
  {
    /** SHA-256 of the session string: a stolen database opens no session. */
    idHash: text('id_hash').primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    address: text('address').notNull(),
    /** What the browser or program called itself. */
    agent: text('agent').notNull().default(''),
  },
  (table) => [index('sessions_by_user').on(table.userId)],
);

export const accessTokens = sqliteTable(
  'access_tokens',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** SHA-256: a stolen database opens nothing. */
    hash: text('hash').notNull().unique(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    permissionMask: integer('permission_mask').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null: never. */
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
    /** Null: whoever publishes with the push key. */
    inputId: integer('input_id').references(() => inputs.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    backupInputId: integer('backup_input_id').references(() => inputs.id, { onDelete: 'set null' }),
    /** What was set of the rule; the rest is as every channel begins. */
    failover: text('failover', { mode: 'json' }).$type<Partial<FailoverRule>>(),
    /** Name of the slate's picture in its folder. */
    slate: text('slate'),
    /** What was set of how its NDI source is sent; `allowNdiHx` says whether there is one. */
    ndi: text('ndi', { mode: 'json' }).$type<Partial<Omit<ChannelNdi, 'enable'>>>(),
    revision: revision(),
    /** A new publisher replaces one that still sends. */
    takeover: integer('takeover', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('channels_by_input').on(table.inputId), index('channels_by_backup_input').on(table.backupInputId)],
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

/** Destinations kept by name. */
export const servers = sqliteTable('servers', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  /** One of `serverTypes`. */
  type: integer('type').notNull(),
  /** JSON of the address, without secrets. */
  config: text('config').notNull(),
  /** Encrypted JSON of its stream keys and the rest of its secrets. */
  secret: text('secret').notNull(),
  createdAt: integer('created_at').notNull(),
  revision: revision(),
});

/** Addresses of inputs and outputs, kept by name. */
export const presets = sqliteTable(
  'presets',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** 256 of inputs, 512 of outputs. */
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

/** Which entry of the log tells of a revision; gone with the entry. */
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

/** Changes of state of a channel, its input and its outputs. */
export const runEvents = sqliteTable(
  'run_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    channelId: integer('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    time: integer('time').notNull(),
    what: text('what').$type<RunPart>().notNull(),
    /** 0 unless it is an output. */
    outputId: integer('output_id').notNull(),
    /** As it was. */
    name: text('name').notNull(),
    fromState: text('from_state').notNull(),
    toState: text('to_state').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [index('run_events_by_channel').on(table.channelId, table.id), index('run_events_by_time').on(table.time)],
);

/** Keys are unique over the hub and never the same for push and play: one table of both, kept by triggers. */
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

/** Names as they were: an alarm outlives its channel and output. */
export const alarms = sqliteTable(
  'alarms',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    kind: text('kind').$type<AlarmKind>().notNull(),
    /** 0: the hub itself. */
    channelId: integer('channel_id').notNull(),
    channelName: text('channel_name').notNull(),
    /** 0: of no output. */
    outputId: integer('output_id').notNull(),
    outputName: text('output_name').notNull(),
    threshold: real('threshold').notNull(),
    peak: real('peak').notNull(),
    raisedAt: integer('raised_at').notNull(),
    /** Null while it is active. */
    clearedAt: integer('cleared_at'),
    /** A word of the contract; empty where the kind says it all. */
    reason: text('reason').notNull().default(''),
  },
  (table) => [index('alarms_by_channel').on(table.channelId), index('alarms_by_end').on(table.clearedAt)],
);

/** Absent: the rules that every channel begins with. */
export const alarmRules = sqliteTable('alarm_rules', {
  channelId: integer('channel_id')
    .primaryKey()
    .references(() => channels.id, { onDelete: 'cascade' }),
  rules: text('rules', { mode: 'json' }).$type<Partial<AlarmRules>>().notNull(),
  revision: revision(),
});

/** One row, once it was set. */
export const alarmWebhook = sqliteTable('alarm_webhook', {
  id: integer('id').primaryKey(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  /** Sealed; '' for none. */
  url: text('url').notNull(),
  /** Sealed; null for none. */
  secret: text('secret'),
  /** Deliveries left out because too many were waiting. */
  dropped: integer('dropped').notNull(),
  last: text('last', { mode: 'json' }).$type<WebhookAttempt & { time: number }>(),
  revision: revision(),
});

/** What the webhook hasn't taken yet, in order. */
export const alarmDeliveries = sqliteTable('alarm_deliveries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** The JSON that is sent. */
  body: text('body').notNull(),
});
