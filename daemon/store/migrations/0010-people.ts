import type { Migration } from '../migrate.ts';

/** Nick names, and revisions that tell two administrators of each other. */
export const people: Migration = {
  version: 10,
  name: 'people',
  sql: `
ALTER TABLE users ADD COLUMN nick TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE user_groups ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
`,
};
