import { deviceActionApi } from '../../contract/device-action-calls.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { DeviceActions } from './actions.ts';

export function deviceActionRoutes(actions: DeviceActions): Route[] {
  return [
    bind(deviceActionApi.act, ({ body: { sn, action, params = {} }, session, objects, actor, http }) => {
      const who = { actor, objects };
      if (Array.isArray(sn)) return { task: actions.begin(signedIn(session), sn, action, params, who) };
      // The answer takes as long as the device needs.
      return keepOpenDuring(http.env, async () => {
        await actions.tell(sn, action, params, who);
        return {};
      });
    }),
  ];
}
