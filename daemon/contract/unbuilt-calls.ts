/** Published calls that this version does not have, so that they are told from unknown objects and misspelt paths. */
import type { Call } from './calls.ts';

const gets = ['update/status'];
const posts = ['license/activate', 'license/deactivate'];

export const unbuiltCalls: readonly Pick<Call, 'method' | 'path'>[] = [
  ...gets.map((path) => ({ method: 'GET' as const, path: `/api/${path}` as const })),
  ...posts.map((path) => ({ method: 'POST' as const, path: `/api/${path}` as const })),
];
