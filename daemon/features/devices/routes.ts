import { deviceClashApi } from '../../contract/device-clashes.ts';
import { deviceGroupApi } from '../../contract/device-groups.ts';
import { deviceApi } from '../../contract/devices.ts';
import { isGranted } from '../../http/access.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Connection, type Route, signedIn } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { DeviceAdder } from './add.ts';
import type { DeviceClashes } from './clashes.ts';
import type { createDeviceConnector } from './connect.ts';
import { createDeviceDiscovery } from './discovery.ts';
import type { DeviceGroups } from './groups.ts';
import type { OwnDevice } from './inventory.ts';
import type { DeviceReads } from './reads.ts';
import { type DeviceContext, type DeviceService, visibleDevice, visibleDevices } from './service.ts';

interface DeviceServices {
  readonly context: DeviceContext;
  readonly reads: DeviceReads;
  readonly devices: DeviceService;
  readonly adder: DeviceAdder;
  readonly connector: ReturnType<typeof createDeviceConnector>;
}

export function deviceRoutes({ context, reads, devices, adder, connector }: DeviceServices): Route[] {
  const discovery = createDeviceDiscovery(context);
  /** At once for devices that are not connected with a channel, so that calls take effect in their order. */
  const released = ({ env }: { readonly env: Connection }, gone: readonly OwnDevice[], work: () => void) => {
    const releasing = connector.release(gone);
    return releasing === undefined ? work() : keepOpenDuring(env, () => releasing.then(work));
  };
  return [
    bind(deviceApi.list, ({ query, session, objects }) => reads.list(signedIn(session), objects, query)),
    bind(deviceApi.listOf, ({ body, session, objects }) => reads.listOf(signedIn(session), objects, body.sn)),
    bind(deviceApi.query, ({ query, session, objects }) => reads.query(signedIn(session), objects, query)),
    bind(deviceApi.log, ({ query, objects }) => reads.log(objects, query)),
    bind(deviceApi.listWithGroups, ({ query, session, objects }) =>
      reads.listWithGroups(signedIn(session), objects, query),
    ),
    bind(deviceApi.favorite, ({ body: { sn, enable }, session, objects, actor }) =>
      devices.favorite(actor, objects, { sns: sn, enable, userId: signedIn(session).user.id }),
    ),
    bind(deviceApi.config, ({ body: { sn, config }, objects, actor }) => devices.config(actor, objects, sn, config)),
    bind(deviceApi.connect, ({ body, session, objects, actor, http }) => {
      if (!isGranted(session, 'channelEdit'))
        throw new HubError('notPermitted', 'this also requires the permission channelEdit');
      const own = visibleDevice(context, objects, body.sn);
      return keepOpenDuring(http.env, () => connector.connect(actor, own, body));
    }),
    bind(deviceApi.revealKey, ({ body, objects, actor }) => ({
      'push-key': devices.revealKey(actor, visibleDevice(context, objects, body.sn)),
    })),
    bind(deviceApi.renewKey, ({ body, objects, actor }) => ({
      'push-key': devices.renewKey(actor, visibleDevice(context, objects, body.sn)),
    })),
    // The answers of these take as long as devices need.
    bind(deviceApi.add, ({ body, objects, actor, http }) =>
      keepOpenDuring(http.env, () => adder.add(actor, objects, body)),
    ),
    bind(deviceApi.discover, async ({ body, session, actor }) => ({
      task: await discovery.begin(actor, signedIn(session), body),
    })),
    bind(deviceApi.set, ({ body, objects, actor, http }) =>
      keepOpenDuring(http.env, async () => ({ revision: await devices.set(actor, objects, body) })),
    ),
    bind(deviceApi.accept, ({ body, objects, actor }) => devices.accept(actor, objects, body)),
    bind(deviceApi.reject, ({ body: { sn }, objects, actor, http }) =>
      released(http, visibleDevices(context, objects, sn), () => devices.reject(actor, objects, sn)),
    ),
    bind(deviceApi.del, ({ body: { sn }, objects, actor, http }) =>
      released(http, visibleDevices(context, objects, sn), () => devices.del(actor, objects, sn)),
    ),
    bind(deviceApi.move, ({ body, objects, actor }) => devices.move(actor, objects, body.sn, body['catalog-id'])),
    bind(deviceApi.setSecurity, ({ body, objects, actor }) =>
      devices.setSecurity(actor, objects, body.sn, body.security),
    ),
    bind(deviceApi.getGlobal, () => devices.getGlobal()),
    bind(deviceApi.setGlobal, ({ body, actor }) => ({ revision: devices.setGlobal(actor, body) })),
  ];
}

export function deviceGroupRoutes(groups: DeviceGroups): Route[] {
  return [
    bind(deviceGroupApi.list, ({ query, objects }) => groups.list(objects, query)),
    bind(deviceGroupApi.add, ({ body, objects, actor }) => ({ id: groups.add(actor, objects, body) })),
    bind(deviceGroupApi.set, ({ body, objects, actor }) => ({ revision: groups.set(actor, objects, body) })),
    bind(deviceGroupApi.rename, ({ body, objects, actor }) => ({ revision: groups.rename(actor, objects, body) })),
    bind(deviceGroupApi.del, ({ body, objects, actor }) => groups.del(actor, objects, body)),
  ];
}

export function deviceClashRoutes(clashes: DeviceClashes): Route[] {
  return [
    bind(deviceClashApi.list, ({ objects }) => clashes.list(objects)),
    bind(deviceClashApi.decide, ({ body, objects, actor }) => clashes.decide(actor, objects, body)),
  ];
}
