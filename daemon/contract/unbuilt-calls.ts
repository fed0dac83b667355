/** Published calls that this version does not have, so that they are told from unknown objects and misspelt paths. */
import type { Call } from './calls.ts';

const gets = [
  'update/status',
  'device/list',
  'device/query',
  'device/list-with-catalog',
  'device/global/get',
  'catalog/list',
];
const posts = [
  ...['cert/upload', 'cert/upload-key', 'license/activate', 'license/deactivate'],
  ...['device/list', 'device/accept', 'device/del', 'device/upgrade', 'device/config', 'device/security/set'],
  ...['device/global/set', 'catalog/set', 'catalog/rename', 'catalog/add', 'catalog/del'],
];

export const unbuiltCalls: readonly Pick<Call, 'method' | 'path'>[] = [
  ...gets.map((path) => ({ method: 'GET' as const, path: `/api/${path}` as const })),
  ...posts.map((path) => ({ method: 'POST' as const, path: `/api/${path}` as const })),
];
