/** Servers in the settings file: the configuration as in the API, with the secrets beside it. */
import { ServerConfig } from '../../contract/server-fields.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { servers } from '../../store/schema.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openTarget, sealTarget } from './stored-target.ts';
import { readServer, showServer } from './target.ts';

interface FileServer {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}
type Members = Readonly<Record<string, unknown>>;

export function fileServer(
  secrets: Secrets,
  row: Pick<typeof servers.$inferSelect, 'name' | 'type' | 'config' | 'secret'>,
): { readonly value: FileServer; readonly secret: Members } {
  const target = openTarget(secrets, row);
  const { id: _, name, revision: __, ...shown } = showServer({ id: 0, revision: 0, name: row.name }, target);
  const config = Object.fromEntries(Object.entries(shown).filter(([member]) => !member.endsWith('-set')));
  const { keys } = target;
  const given: Members = {
    'main-key': keys.main ?? '',
    'sub-key': keys.sub ?? '',
    ...(target.protocol === 'rtmp' ? { password: target.password } : { passphrase: target.passphrase }),
  };
  return {
    value: { name, config },
    secret: Object.fromEntries(Object.entries(given).filter(([, text]) => text !== '')),
  };
}

/** Throws a HubError that names the member, as the calls of servers do. */
export function storedServer(
  secrets: Pick<Secrets, 'seal'>,
  { value, secret }: { readonly value: FileServer; readonly secret: Members },
) {
  const checked = ServerConfig.safeParse({ ...value.config, ...secret });
  const [issue] = checked.error?.issues ?? [];
  if (issue) {
    const path = ['config', ...issue.path].map(String).join('.');
    throw fieldError(path, 'format', `${path}: ${issue.message}`);
  }
  return sealTarget(secrets, readServer(checked.data as ServerConfig, undefined));
}
