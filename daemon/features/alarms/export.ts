/** The alarms as a table for spreadsheets. */
import type { Alarm } from '../../contract/alarms.ts';
import { alarmExportPath } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { readQuery } from '../../http/query.ts';
import { signedIn } from '../../http/route.ts';
import { byteOrderMark, csvHeaders, csvLine } from '../../lib/csv.ts';
import type { AlarmService } from './service.ts';

const head = [
  ...['Raised', 'Cleared', 'Severity', 'Alarm', 'Channel', 'Output', 'Threshold', 'Worst', 'Reason'],
  ...['Acknowledged by', 'Acknowledged', 'Device'],
];

const timeText = (time: number | undefined) => (time ? new Date(time).toISOString() : '');

function cells(alarm: Alarm): string[] {
  const { raised, cleared, severity, kind, name, output, threshold, peak, reason, acknowledged, device } = alarm;
  return [
    ...[timeText(raised), timeText(cleared), severity, kind, name, output?.name ?? ''],
    ...[String(threshold), String(peak), reason ?? '', acknowledged?.by ?? '', timeText(acknowledged?.time)],
    device ?? '',
  ];
}

export function alarmExportRoute({ list }: Pick<AlarmService, 'list'>): PlainRoute {
  return {
    path: alarmExportPath,
    scope: 'channelView',
    summary: 'Alarms as a table of comma-separated values, the newest first; filtered like the list.',
    contentType: 'text/csv',
    query: {
      active: '1: only active alarms; 0: only cleared ones.',
      channel: 'Id of a channel; 0: the hub.',
      severity: '`critical` or `warning`.',
      device: 'Serial number of a device.',
    },
    async respond(c) {
      const { AlarmFilter } = await import('../../contract/alarms.ts');
      const filter = readQuery(AlarmFilter, c.req.url);
      const rows = list(signedIn(c.get('session')), { ...filter, count: limits.alarms }).list.map(cells);
      return new Response(c.req.raw.method === 'HEAD' ? null : byteOrderMark + [head, ...rows].map(csvLine).join(''), {
        headers: csvHeaders('alarms.csv'),
      });
    },
  };
}
