import { wifiApi } from '../../contract/wifi.ts';
import { bind, type Route } from '../../http/route.ts';
import type { WifiService } from './service.ts';

/** An attempt to join takes longer than connections may usually be idle. */
const idleSeconds = 90;

export function wifiRoutes(wifi: WifiService): Route[] {
  return [
    bind(wifiApi.get, () => wifi.get()),
    bind(wifiApi.scan, ({ http }) => {
      http.env.keepOpen(idleSeconds);
      return wifi.scan();
    }),
    bind(wifiApi.join, ({ actor, body, http }) => {
      http.env.keepOpen(idleSeconds);
      return wifi.join({ actor, host: new URL(http.req.url).hostname }, body);
    }),
    bind(wifiApi.forget, ({ actor, body, http }) => wifi.forget({ actor, host: new URL(http.req.url).hostname }, body)),
  ];
}
