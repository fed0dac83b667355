/** Whether an answer has the members that the contract says, all of them and no other. */
import { api } from '../../daemon/contract/api.ts';
import type { Call } from '../../daemon/contract/calls.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import { endpointsOf } from '../fixtures/endpoints.ts';

export const nameOf = ({ method, path }: Pick<Call, 'method' | 'path'>) => `${method} ${path}`;

/** Calls that need more than a new hub: the first start, a stream, a preview, a task, a private network or a file. */
export const withoutExample = [
  ...['POST /api/setup', 'GET /api/logout', 'POST /api/preview/setup', 'GET /api/preview/clear'],
  ...['POST /api/channel/client/disconnect', 'POST /api/channel/input/switch', 'POST /api/channel/slate/set'],
  ...['POST /api/device/discover', 'GET /api/task/query', 'POST /api/task/cancel', 'POST /api/alarm/acknowledge'],
  ...['POST /api/cert/upload', 'POST /api/cert/upload-key', 'POST /api/firmware/upload'],
  // What the machine of the tests is made of must not show.
  ...endpointsOf(api)
    .filter(({ needs }) => needs === 'hardware')
    .map(nameOf),
  ...['POST /api/system/reset', 'POST /api/reboot'],
];

/** Returns what is wrong. */
export function faultsOf({ response }: Endpoint, answer: unknown): unknown[] {
  const { result, ...members } = answer as { result: unknown };
  const checked = response.safeParse(members);
  if (!checked.success) return checked.error.issues;
  const isWhole = result === 0 && Bun.deepEquals(checked.data, members);
  return isWhole ? [] : [{ answered: members, described: checked.data }];
}
