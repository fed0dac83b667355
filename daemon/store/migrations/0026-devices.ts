import type { Migration } from '../migrate.ts';

/**
 * Devices and their groups. The push key of a device and the keys of channels are unique across the hub: the triggers
 * report the column that asked for a key which is in use, as those of `stream_keys` do.
 */
export const devices: Migration = {
  version: 26,
  name: 'devices',
  sql: `
CREATE TABLE device_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  parent_id INTEGER REFERENCES device_groups (id),
  name TEXT NOT NULL,
  is_inherited INTEGER NOT NULL,
  group_mask INTEGER NOT NULL,
  user_mask INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  sn TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  own_name TEXT NOT NULL,
  reg_state INTEGER NOT NULL,
  applied_at INTEGER NOT NULL,
  group_id INTEGER REFERENCES device_groups (id),
  module INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  hardware_version TEXT NOT NULL,
  firmware_version TEXT NOT NULL,
  is_inherited INTEGER NOT NULL,
  group_mask INTEGER NOT NULL,
  user_mask INTEGER NOT NULL,
  favorites INTEGER NOT NULL DEFAULT 0,
  connection TEXT,
  push_key TEXT NOT NULL UNIQUE,
  link TEXT NOT NULL CHECK (link IN ('direct', 'agent')),
  api TEXT NOT NULL,
  address TEXT NOT NULL DEFAULT '',
  user TEXT NOT NULL DEFAULT '',
  password TEXT,
  pin TEXT NOT NULL DEFAULT '',
  agent_key TEXT NOT NULL DEFAULT '',
  plays_channel_id INTEGER REFERENCES channels (id) ON DELETE SET NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX devices_by_channel ON devices (plays_channel_id);

ALTER TABLE channels ADD COLUMN input_device_id INTEGER REFERENCES devices (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX channels_by_input_device ON channels (input_device_id);

CREATE TRIGGER devices_insert_key AFTER INSERT ON devices BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: devices.push_key')
    WHERE EXISTS (SELECT 1 FROM stream_keys WHERE key = NEW.push_key);
END;
CREATE TRIGGER channels_insert_device_keys AFTER INSERT ON channels BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.play_key')
    WHERE EXISTS (SELECT 1 FROM devices WHERE push_key = NEW.play_key);
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.push_key')
    WHERE EXISTS (SELECT 1 FROM devices WHERE push_key = NEW.push_key);
END;
CREATE TRIGGER channels_update_device_keys AFTER UPDATE OF play_key, push_key ON channels BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.play_key')
    WHERE EXISTS (SELECT 1 FROM devices WHERE push_key = NEW.play_key);
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: channels.push_key')
    WHERE EXISTS (SELECT 1 FROM devices WHERE push_key = NEW.push_key);
END;

-- Ids of the kinds of objects do not overlap; those of channels begin at 100001.
INSERT INTO sqlite_sequence (name, seq) VALUES ('device_groups', 30000), ('devices', 200000);
`,
};
