import { channelApi } from '../../contract/channels.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { ChannelReads } from './live.ts';
import type { OperatorActs } from './operator-acts.ts';
import type { ChannelService } from './service.ts';
import { withoutPushKey } from './view.ts';

export function channelRoutes(reads: ChannelReads, channels: ChannelService, acts: OperatorActs): Route[] {
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
    bind(channelApi.setInput, ({ body, actor }) => ({ revision: channels.setInput(actor, body) })),
    bind(channelApi.switchInput, ({ body, actor }) => acts.switchInput(actor, body)),
    bind(channelApi.addOutput, ({ body, actor }) => channels.addOutput(actor, body)),
    bind(channelApi.delOutput, ({ body, actor }) => channels.delOutput(actor, body)),
    bind(channelApi.disconnectClient, ({ body, actor }) => acts.disconnectClient(actor, body)),
    bind(channelApi.enableOutput, ({ body, actor }) => channels.enableOutput(actor, body)),
  ];
}
