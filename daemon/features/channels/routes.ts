import { channelApi } from '../../contract/channels.ts';
import { isGranted } from '../../http/access.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import { type Actor, bind, type Route } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { ChannelReads } from './live.ts';
import type { OperatorActs } from './operator-acts.ts';
import type { ChannelService } from './service.ts';
import { withoutPushKey } from './view.ts';

/** Tells a device to send to a channel, and makes it the input. Rejects with the refusal of the device. */
export type PublishDevice = (
  actor: Actor,
  objects: CallerAccess,
  of: { readonly deviceId: number; readonly channelId: number },
) => Promise<void>;

export function channelRoutes(
  reads: ChannelReads,
  channels: ChannelService,
  { acts, publish }: { readonly acts: OperatorActs; readonly publish: PublishDevice },
): Route[] {
  return [
    bind(channelApi.dashboard, async ({ query, session }) => {
      const dashboard = await reads.dashboard(query);
      if (isGranted(session, 'channelEdit')) return dashboard;
      return { ...dashboard, list: dashboard.list.map(withoutPushKey) };
    }),
    bind(channelApi.query, async ({ query, session }) => {
      const channel = await reads.query(query);
      return isGranted(session, 'channelEdit') ? channel : withoutPushKey(channel);
    }),
    bind(channelApi.quality, ({ query }) => reads.quality(query)),
    bind(channelApi.add, ({ body, actor }) => ({ id: channels.add(actor, body) })),
    bind(channelApi.set, ({ body, actor }) => ({ revision: channels.set(actor, body) })),
    bind(channelApi.revealKey, ({ body, actor }) => ({ 'push-key': channels.revealKey(actor, body.id) })),
    bind(channelApi.del, ({ body, actor }) => channels.del(actor, [body.id].flat())),
    bind(channelApi.enable, ({ body, actor }) => channels.enable(actor, body)),
    bind(channelApi.setInput, async ({ body, actor, objects, session, http }) => {
      if (!channels.isOtherDevice(body)) return { revision: channels.setInput(actor, body) };
      channels.refuseStale(body);
      if (!isGranted(session, 'deviceControl'))
        throw new HubError('notPermitted', 'a device as an input requires the permission deviceControl');
      await keepOpenDuring(http.env, () => publish(actor, objects, { deviceId: body.input, channelId: body.id }));
      // The revision is the one that was checked before the device became the input.
      const { revision: _, ...kept } = body;
      return { revision: channels.setInput(actor, kept) };
    }),
    bind(channelApi.switchInput, ({ body, actor }) => acts.switchInput(actor, body)),
    bind(channelApi.addOutput, ({ body, actor }) => channels.addOutput(actor, body)),
    bind(channelApi.delOutput, ({ body, actor }) => channels.delOutput(actor, body)),
    bind(channelApi.disconnectClient, ({ body, actor }) => acts.disconnectClient(actor, body)),
    bind(channelApi.enableOutput, ({ body, actor }) => channels.enableOutput(actor, body)),
  ];
}
