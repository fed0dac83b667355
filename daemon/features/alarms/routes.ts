import { alarmApi } from '../../contract/alarms.ts';
import { isGranted } from '../../http/access.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import type { createAlarmActs } from './acts.ts';
import type { createDeviceRules } from './device-rules.ts';
import type { AlarmMailer } from './mail.ts';
import type { AlarmService } from './service.ts';
import { type AlarmWebhook, withoutPath } from './webhook.ts';

interface AlarmServices {
  readonly alarms: AlarmService;
  readonly acts: ReturnType<typeof createAlarmActs>;
  readonly webhook: AlarmWebhook;
  readonly mailer: AlarmMailer;
  readonly deviceRules: ReturnType<typeof createDeviceRules>;
}

const callerOf = ({ actor, session }: { readonly actor: Actor; readonly session: Session | null }) => ({
  actor,
  session: signedIn(session),
});

export function alarmRoutes({ alarms, acts, webhook, mailer, deviceRules }: AlarmServices): Route[] {
  return [
    bind(alarmApi.list, ({ query, session }) => alarms.list(signedIn(session), query)),
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
    bind(alarmApi.acknowledge, ({ body, ...by }) => acts.acknowledge(callerOf(by), body)),
    bind(alarmApi.mute, ({ body, ...by }) => acts.mute(callerOf(by), body)),
    bind(alarmApi.unmute, ({ body, ...by }) => acts.unmute(callerOf(by), body)),
    bind(alarmApi.deviceRules, deviceRules.get),
    bind(alarmApi.setDeviceRules, ({ body, actor }) => ({ revision: deviceRules.set(actor, body) })),
    bind(alarmApi.testMail, () => mailer.test()),
  ];
}
