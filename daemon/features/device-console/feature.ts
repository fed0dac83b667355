/** The web pages of devices through the hub. Code and ports are opened with the first page. */
import type { Context } from 'hono';
import type { Feature } from '../../http/feature.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import type { Actor, HubEnv, Session } from '../../http/route.ts';
import { signedIn } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Database } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import type { ConsoleDeps, DeviceConsole } from './console.ts';

interface FeatureDeps extends Omit<ConsoleDeps, 'note' | 'language' | 'times'> {
  readonly db: Database;
  readonly audit: Pick<Audit, 'note'>;
  readonly language: () => 'auto' | 'en' | 'zh';
}

export function createDeviceConsoleFeature(deps: FeatureDeps): Feature {
  let loaded: Promise<DeviceConsole> | undefined;
  let isClosed = false;
  const language = () => {
    const chosen = deps.language();
    return chosen === 'auto' ? undefined : chosen;
  };
  const load = async () => {
    const { createDeviceConsole } = await import('./console.ts');
    const note = (actor: Actor, sn: string) =>
      void deps.audit.note(deps.db, actor, { action: 'device.console', subject: sn });
    return createDeviceConsole({ ...deps, note, language, times: timing.deviceConsole });
  };

  async function open(session: Session, sn: string, url: URL): Promise<string> {
    const refused = deps.refusal(session, sn);
    if (refused !== undefined) throw refused;
    loaded ??= load();
    const pages = await loaded;
    if (isClosed) throw new HubError('clientOffline', 'the hub is shutting down');
    return await pages.open({ sn, session, hub: url.origin }, url.hostname);
  }

  const route: PlainRoute = {
    path: '/socket/sc-remote/:sn/',
    scope: 'deviceControl',
    summary:
      'Opens the web page of a device: redirects to a port for such pages, with a ticket for one use within 30 s.',
    contentType: 'text/html',
    async respond(c) {
      c.header('cache-control', 'no-store');
      const sn = c.req.param('sn') ?? '';
      try {
        refuseOtherPages(c);
        const page = new URL(
          `${c.env.isSecure ? 'https' : 'http'}://${c.req.header('host') ?? new URL(c.req.url).host}`,
        );
        return c.redirect(await open(signedIn(c.var.session), sn, page), 302);
      } catch (error) {
        const { faultResponse } = await import('./fault-response.ts');
        return faultResponse(c, error, { sn, language: language() });
      }
    },
  };
  return {
    plainRoutes: [route],
    async close() {
      isClosed = true;
      (await loaded)?.close();
    },
  };
}

/** The page of a device must not open others. Links elsewhere do not send the cookie of the session. */
function refuseOtherPages(c: Context<HubEnv>): void {
  const site = c.req.header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new HubError('notPermitted', 'pages of other origins must not open the web pages of devices');
}
