import { operationExportPath } from '../../contract/calls.ts';
import { logApi, OperationFilter } from '../../contract/logs.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { readQuery } from '../../http/query.ts';
import { bind, type Route } from '../../http/route.ts';
import { byteOrderMark, csvHeaders } from '../../lib/csv.ts';
import type { Database } from '../../store/database.ts';
import { operationHead, operationLine } from './csv.ts';
import { eachPage, listOperations } from './store.ts';

export function logRoutes(db: Database): Route[] {
  return [bind(logApi.list, ({ query }) => listOperations(db, query))];
}

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
    },
    respond(c) {
      const filter = readQuery(OperationFilter, c.req.url);
      const headers = csvHeaders('operations.csv');
      return new Response(c.req.raw.method === 'HEAD' ? null : csvOf(db, filter), { headers });
    },
  };
}

/** One page at a time, as fast as the client reads: the log may be too large to be held in memory. */
function csvOf(db: Database, filter: OperationFilter): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pages = eachPage(db, filter);
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(byteOrderMark + operationHead)),
    pull(controller) {
      const { value: page, done } = pages.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(page.map(operationLine).join('')));
    },
  });
}
