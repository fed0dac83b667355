import { alarmApi } from '../../contract/alarms.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { createAlarmActs } from './acts.ts';
import type { AlarmMailer } from './mail.ts';
import type { AlarmService } from './service.ts';
import { type AlarmWebhook, withoutPath } from './webhook.ts';

interface AlarmServices {
  readonly alarms: AlarmService;
  readonly acts: ReturnType<typeof createAlarmActs>;
  readonly webhook: AlarmWebhook;
  readonly mailer: AlarmMailer;
}

export function alarmRoutes({ alarms, acts, webhook, mailer }: AlarmServices): Route[] {
  return [
    bind(alarmApi.list, ({ query }) => alarms.list(query)),
    bind(alarmApi.rules, ({ query }) => alarms.rules(query.channel)),
    bind(alarmApi.setRules, ({ body, actor }) => ({ revision: alarms.setRules(actor, body) })),
    bind(alarmApi.clearHistory, ({ body, actor }) => alarms.clearHistory(actor, body.channel)),
    bind(alarmApi.webhook, ({ session }) => {
      const shown = { ...webhook.view(), revision: alarms.webhookRevision() };
      return isGranted(session, 'systemEdit') ? shown : withoutPath(shown);
    }),
    bind(alarmApi.setWebhook, ({ body: { revision, enabled, url, secret }, actor }) => ({
      revision: alarms.setWebhook(actor, { enabled, url, secret }, revision),
    })),
    bind(alarmApi.revealWebhook, ({ actor }) => ({ url: alarms.revealWebhook(actor) })),
    bind(alarmApi.testWebhook, () => webhook.test()),
    bind(alarmApi.mail, () => mailer.state()),
    bind(alarmApi.acknowledge, ({ body, actor }) => acts.acknowledge(actor, body)),
    bind(alarmApi.mute, ({ body, actor }) => acts.mute(actor, body)),
    bind(alarmApi.unmute, ({ body, actor }) => acts.unmute(actor, body)),
    bind(alarmApi.testMail, () => mailer.test()),
  ];
}
