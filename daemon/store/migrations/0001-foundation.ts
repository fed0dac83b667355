import type { Migration } from '../migrate.ts';

/**
 * Keys of channels: the triggers maintain `stream_keys` and raise errors like SQLite's own uniqueness errors, so that a
 * key used in the other role is reported with the column that requested it.
 */
const insertKeys = `
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.play_key')
    WHERE EXISTS (SELECT 1 FROM stream_keys WHERE key = NEW.play_key);
  INSERT INTO stream_keys (key, channel_id, kind) VALUES (NEW.play_key, NEW.id, 'play');
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.push_key')
    WHERE EXISTS (SELECT 1 FROM stream_keys WHERE key = NEW.push_key);
  INSERT INTO stream_keys (key, channel_id, kind) VALUES (NEW.push_key, NEW.id, 'push');`;

export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  sql: `
CREATE TABLE user_groups (
  id INTEGER PRIMARY KEY NOT NULL,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  type INTEGER NOT NULL,
  permission_mask INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id INTEGER PRIMARY KEY NOT NULL,
  name TEXT NOT NULL UNIQUE,
  group_id INTEGER NOT NULL REFERENCES user_groups (id),
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE settings (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE inputs (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  protocol INTEGER NOT NULL,
  config TEXT NOT NULL,
  secret TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL,
  play_key TEXT NOT NULL UNIQUE,
  push_key TEXT NOT NULL UNIQUE,
  allow_rtmp INTEGER NOT NULL,
  allow_srt INTEGER NOT NULL,
  allow_ndi_hx INTEGER NOT NULL,
  preferred_protocol INTEGER NOT NULL,
  input_id INTEGER REFERENCES inputs (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX channels_by_input ON channels (input_id);

CREATE TABLE outputs (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  protocol INTEGER NOT NULL,
  config TEXT NOT NULL,
  secret TEXT,
  channel_id INTEGER REFERENCES channels (id) ON DELETE SET NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_by_channel ON outputs (channel_id);

CREATE TABLE operation_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  time INTEGER NOT NULL,
  user TEXT NOT NULL,
  ip TEXT NOT NULL,
  action TEXT NOT NULL,
  detail TEXT NOT NULL,
  result INTEGER NOT NULL
) STRICT;
CREATE INDEX operation_log_by_time ON operation_log (time);

CREATE TABLE stream_keys (
  key TEXT PRIMARY KEY NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('play', 'push'))
) STRICT;
CREATE UNIQUE INDEX stream_keys_by_channel ON stream_keys (channel_id, kind);

CREATE TRIGGER channels_insert_keys AFTER INSERT ON channels BEGIN${insertKeys}
END;
-- Both keys are taken out first: play and push may be exchanged in one statement.
CREATE TRIGGER channels_update_keys AFTER UPDATE OF play_key, push_key ON channels BEGIN
  DELETE FROM stream_keys WHERE channel_id = OLD.id;${insertKeys}
END;

-- Ids begin where clients of such hubs expect them; the kinds never overlap by accident in logs.
INSERT INTO sqlite_sequence (name, seq) VALUES ('inputs', 1000), ('outputs', 11000), ('channels', 100000);

INSERT INTO user_groups (id, name, description, type, permission_mask) VALUES
  (1, 'Admin', 'May do everything', 1, 4294967295),
  (2, 'User', 'May do everything but manage users and device groups', 2, 57183),
  (4, 'Viewer', 'May look at everything and change nothing', 4, 83269);
INSERT INTO users (id, name, group_id, password_hash, created_at)
  VALUES (1, 'Admin', 1, NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
`,
};
