import type { Migration } from '../migrate.ts';

/** Changes as words that can be translated; older entries have only the English text. */
export const operationChanges: Migration = {
  version: 2,
  name: 'operation-changes',
  sql: `
ALTER TABLE operation_log ADD COLUMN subject TEXT;
ALTER TABLE operation_log ADD COLUMN changes TEXT;
`,
};
