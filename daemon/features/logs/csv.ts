import type { Operation } from '../../contract/logs.ts';
import { resultName } from '../../contract/result.ts';
import { csvLine } from '../../lib/csv.ts';

export const operationHead = csvLine(['Time', 'User', 'IP address', 'Access token', 'Action', 'Details', 'Result']);

export function operationLine({ time, user, ip, via, action, detail, result }: Operation): string {
  const outcome = resultName(result) ?? String(result);
  return csvLine([new Date(time).toISOString(), user, ip, via, action, detail, outcome]);
}
