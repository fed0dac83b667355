import type { Migration } from '../migrate.ts';

/** Keys that verify proofs of a password. Existing users get theirs with the next sign-in or password change. */
export const signInKey: Migration = {
  version: 15,
  name: 'sign-in-key',
  sql: `
ALTER TABLE users ADD COLUMN sign_in_key TEXT;
`,
};
