import type { Migration } from '../migrate.ts';

/** What was changed in words that a reader's language has a sentence for; older entries have the English line alone. */
export const operationChanges: Migration = {
  version: 2,
  name: 'operation-changes',
  sql: `
ALTER TABLE operation_log ADD COLUMN subject TEXT;
ALTER TABLE operation_log ADD COLUMN changes TEXT;
`,
};
