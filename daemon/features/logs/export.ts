import { operationExportPath } from '../../contract/calls.ts';
import type { OperationFilter } from '../../contract/logs.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { readQuery } from '../../http/query.ts';
import { byteOrderMark, csvHeaders } from '../../lib/csv.ts';
import { streamOf } from '../../lib/text-stream.ts';
import type { Database } from '../../store/database.ts';
import { operationHead, operationLine } from './csv.ts';
import { eachPage } from './store.ts';

export function operationExportRoute(db: Database): PlainRoute {
  return {
    path: operationExportPath,
    scope: 'admin',
    summary: 'Operation log as a table of comma-separated values, the newest entry first; filtered like the list.',
    contentType: 'text/csv',
    query: {
      from: 'The first moment, milliseconds since 1970.',
      to: 'The last moment, milliseconds since 1970.',
      user: 'The whole name.',
      result: '`success` or `failure`.',
      key: 'A part of user, address, action or detail.',
      device: 'Id of a device: only changes of it.',
    },
    async respond(c) {
      const { OperationFilter } = await import('../../contract/logs.ts');
      const filter = readQuery(OperationFilter, c.req.url);
      const headers = csvHeaders('operations.csv');
      return new Response(c.req.raw.method === 'HEAD' ? null : streamOf(operationsCsv(db, filter)), { headers });
    },
  };
}

/** Reads one page at a time, as fast as it is asked to: the log may be too large to be held in memory. */
export function* operationsCsv(db: Database, filter: OperationFilter): Generator<string> {
  yield byteOrderMark + operationHead;
  for (const page of eachPage(db, filter)) yield page.map(operationLine).join('');
}
