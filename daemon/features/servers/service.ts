import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { ServerConfig } from '../../contract/server-fields.ts';
import type { serverApi } from '../../contract/servers.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { type ListQuery, pageOf } from '../../lib/list-page.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { serverRows } from '../../store/rows.ts';
import type { servers } from '../../store/schema.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import { createNamedObjects } from '../named-objects.ts';
import type { OutputAdder } from '../outputs/service.ts';
import { openTarget, sealTarget } from './stored-target.ts';
import { addressFor, placesOf, readServer, type ServerTarget, serverLabel, showServer, typeOf } from './target.ts';

type ServerRow = typeof servers.$inferSelect;

export interface ServerDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly addOutput: OutputAdder;
}

export type ServerService = ReturnType<typeof createServerService>;

export function createServerService(deps: ServerDeps) {
  const { db, secrets } = deps;
  const open = (row: ServerRow) => openTarget(secrets, row);
  const named = createNamedObjects<typeof servers, ServerTarget>({
    ...{ noun: 'server', rows: serverRows, limit: limits.servers, open, label: serverLabel },
    ...{ seal: (target: ServerTarget) => sealTarget(secrets, target), db, audit: deps.audit, now: deps.now },
  });
  return {
    list(query: ListQuery) {
      const page = pageOf(serverRows.list(db), query);
      return { ...page, list: page.list.map((row) => showServer(row, open(row))) };
    },
    add: (actor: Actor, { name, config, 'copy-of': copyOf }: BodyOf<typeof serverApi.add>) =>
      named.write<number>(name, (tx) => {
        const { kept, changes } = named.original(copyOf);
        const target = readServer(config, kept);
        named.refuseFull(tx);
        refuseSame(tx, secrets, target, undefined);
        return named.add(tx, actor, { name, address: target }, changes);
      }),
    /** Returns the new revision. */
    set: (actor: Actor, change: BodyOf<typeof serverApi.set>) =>
      named.write<number>(change.name, (tx) =>
        named.set(tx, actor, change, (config: ServerConfig, before) => {
          const target = readServer(config, before);
          refuseSame(tx, secrets, target, change.id);
          return target;
        }),
      ),
    del: (actor: Actor, ids: readonly number[]) => transaction<void>(db, (tx) => named.del(tx, actor, ids)),
    addOutput(actor: Actor, { id, stream, name, channel }: BodyOf<typeof serverApi.addOutput>): number {
      const address = addressFor(open(serverRows.existing(db, id)), stream);
      if (!address) throw fieldError('stream', 'choice', `the server does not receive the ${stream} stream`);
      return deps.addOutput(actor, { name, address, channel });
    },
  };
}

/** There are at most 16, so opening all of them is cheap. */
function refuseSame(tx: Queries, secrets: Secrets, target: ServerTarget, self: number | undefined): void {
  const own = placesOf(target);
  for (const row of serverRows.list(tx)) {
    if (row.id === self) continue;
    const other = openTarget(secrets, row);
    if (typeOf(other) !== typeOf(target)) continue;
    const places = new Set(placesOf(other).map(({ place }) => place));
    const shared = own.find(({ place }) => places.has(place));
    if (!shared) continue;
    const message = `the server '${row.name}' has the same destination for this stream`;
    const fields = [{ path: `config.${shared.member}`, rule: 'sameServer', message }];
    throw new HubError('objectExists', message, { params: { what: row.name }, fields });
  }
}
