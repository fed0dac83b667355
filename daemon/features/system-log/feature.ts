import { calls, systemLogExportPath } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import type { SystemLogFilter } from '../../contract/system-log.ts';
import type { Feature } from '../../http/feature.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { readQuery } from '../../http/query.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { Topic } from '../../http/topic.ts';
import { lineOf } from '../../lib/log.ts';
import { streamOf } from '../../lib/text-stream.ts';
import type { SystemLogStore } from './store.ts';

export function systemLogFeature({ store, topic }: { readonly store: SystemLogStore; readonly topic: Topic }): Feature {
  return {
    routes: [lazyRoutes(calls.systemLog, async () => (await import('./routes.ts')).systemLogRoutes(store))],
    plainRoutes: [systemLogExportRoute(store)],
    topics: [topic],
  };
}

function systemLogExportRoute(store: SystemLogStore): PlainRoute {
  return {
    path: systemLogExportPath,
    scope: 'admin',
    summary: 'System log as lines of text, the oldest first; filtered like the list.',
    contentType: 'text/plain',
    query: {
      from: 'The first moment, milliseconds since 1970.',
      to: 'The last moment, milliseconds since 1970.',
      level: 'Levels with commas between: debug, info, warn, error.',
      key: 'A part of scope or text.',
    },
    async respond(c) {
      const { SystemLogFilter } = await import('../../contract/system-log.ts');
      const filter = readQuery(SystemLogFilter, c.req.url);
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': 'attachment; filename="system.log"',
      };
      return new Response(c.req.raw.method === 'HEAD' ? null : streamOf(systemLogText(store, filter)), { headers });
    },
  };
}

/** Reads one page at a time, as fast as it is asked to. */
export function* systemLogText(store: Pick<SystemLogStore, 'after'>, filter: SystemLogFilter): Generator<string> {
  for (let last = 0; ; ) {
    const lines = store.after(last, filter, limits.page.max);
    yield lines.map((line) => `${lineOf(line)}\n`).join('');
    last = lines.at(-1)?.id ?? last;
    if (lines.length < limits.page.max) return;
  }
}
