import { hostname } from 'node:os';
import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import type { HubEnv } from '../route.ts';

/** Suffixes that cannot be registered: an attacker's page cannot have such a name and rebind it to this hub. */
const privateEndings = ['.local', '.lan', '.home', '.internal', '.localdomain', '.home.arpa', '.localhost'];

/**
 * Serves requests only under names known to be the hub's. Otherwise, an attacker's page whose name is changed to the
 * hub's address while it is open (DNS rebinding) would have the hub's origin, and could choose its first password.
 */
export function knownHost(names: readonly string[]): MiddlewareHandler<HubEnv> {
  const given = new Set(names.map((name) => name.toLowerCase()));
  // Read each time: the machine may get another name while the hub runs.
  const isOwn = (name: string) => given.has(name) || name === hostname().toLowerCase();
  return async function checkHost(c, next) {
    const host = c.req.header('host');
    if (host !== undefined && !isKnown(nameOf(host), isOwn)) {
      const message = `this hub is not known as ${nameOf(host)}; if it is, add the name to SIGNALBOX_HOSTS`;
      throw new HubError('notPermitted', message, { http: 421 });
    }
    await next();
  };
}

/** Without the port; '' for anything but a name or an address, such as one followed by a path. */
function nameOf(host: string): string {
  if (/[/?#@\\\s]/.test(host)) return '';
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
}

function isKnown(name: string, isOwn: (name: string) => boolean): boolean {
  if (isOwn(name)) return true;
  // An address, normalized by URL; or a single-label name.
  if (name.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(name)) return true;
  if (name !== '' && !name.includes('.')) return true;
  return privateEndings.some((ending) => name.endsWith(ending));
}
