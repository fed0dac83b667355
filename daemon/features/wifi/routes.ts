import { wifiApi } from '../../contract/wifi.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { WifiCaller, WifiService } from './service.ts';

/** An attempt to join takes longer than connections may usually be idle. */
const idleSeconds = 90;

type Request = Parameters<Parameters<typeof bind<typeof wifiApi.join>>[1]>[0];

const callerOf = ({ actor, session, http }: Pick<Request, 'actor' | 'session' | 'http'>): WifiCaller => ({
  ...{ actor, session: signedIn(session), host: new URL(http.req.url).hostname },
});

export function wifiRoutes(wifi: WifiService): Route[] {
  return [
    bind(wifiApi.get, (request) => wifi.get(callerOf(request))),
    bind(wifiApi.scan, (request) => {
      request.http.env.keepOpen(idleSeconds);
      return wifi.scan(callerOf(request));
    }),
    bind(wifiApi.join, (request) => {
      request.http.env.keepOpen(idleSeconds);
      return wifi.join(callerOf(request), request.body);
    }),
    bind(wifiApi.forget, (request) => wifi.forget(callerOf(request), request.body)),
  ];
}
