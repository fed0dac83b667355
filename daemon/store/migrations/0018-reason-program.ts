import type { Migration } from '../migrate.ts';

/** The reason `noProgramme` is spelled `noProgram`, as the API spells the rest of it. */
export const reasonProgram: Migration = {
  version: 18,
  name: 'reason-program',
  sql: `
UPDATE run_events SET reason = 'noProgram' WHERE reason = 'noProgramme';
`,
};
