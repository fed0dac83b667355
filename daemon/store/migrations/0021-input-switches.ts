import type { Migration } from '../migrate.ts';

/** The history also has the switches between the inputs of a channel: who made them, or after how long. */
export const inputSwitches: Migration = {
  version: 21,
  name: 'input-switches',
  sql: `
ALTER TABLE run_events ADD COLUMN by TEXT NOT NULL DEFAULT '';
ALTER TABLE run_events ADD COLUMN after_ms INTEGER NOT NULL DEFAULT 0;
`,
};
