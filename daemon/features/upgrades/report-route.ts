/** What became of each device of an upgrade, as a table of comma-separated values. */
import { resultName } from '../../contract/result.ts';
import type { TaskItem } from '../../contract/tasks.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { byteOrderMark, csvHeaders, csvLine } from '../../lib/csv.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { TaskService } from '../tasks/service.ts';

export function upgradeReportRoute(path: PlainRoute['path'], tasks: Pick<TaskService, 'query'>): PlainRoute {
  return {
    path,
    scope: 'deviceControl',
    summary: 'Result of an upgrade of devices as a table of comma-separated values, with a line for each device.',
    contentType: 'text/csv',
    query: { task: 'Id of the task, of which the caller is the owner, or an administrator.' },
    respond(c) {
      const id = c.req.query('task') ?? '';
      const session = c.get('session');
      const task =
        /^\d{1,15}$/.test(id) && session !== null ? queried(() => tasks.query(session, Number(id))) : undefined;
      if (task?.kind !== 'device.upgrade') {
        throw new HubError('notExist', 'there is no such upgrade', { http: 404, params: { what: 'task' } });
      }
      const table = byteOrderMark + head + task.list.map(lineOf).join('');
      return new Response(c.req.raw.method === 'HEAD' ? null : table, { headers: csvHeaders(`upgrade-${id}.csv`) });
    },
  };
}

/** Undefined if there is no such task, or the caller may not see it. */
function queried<T>(query: () => T): T | undefined {
  try {
    return query();
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

const head = csvLine([
  ...['Serial number', 'Device', 'State', 'Step', 'Version before', 'Version', 'Result', 'Reason', 'Started', 'Ended'],
  'Seconds',
]);

export function lineOf({ key, name, state, fault, upgrade }: TaskItem): string {
  const { step = '', from = '', to = '', started = 0, ended = 0 } = upgrade ?? {};
  const result = fault ? (resultName(fault.result) ?? `${fault.result}`) : state === 'done' ? 'success' : '';
  const seconds = started > 0 && ended > 0 ? `${Math.round((ended - started) / 1000)}` : '';
  return csvLine([
    key,
    name,
    state,
    step,
    from,
    to,
    result,
    fault?.message ?? '',
    timeText(started),
    timeText(ended),
    seconds,
  ]);
}

const timeText = (time: number): string => (time === 0 ? '' : new Date(time).toISOString());
