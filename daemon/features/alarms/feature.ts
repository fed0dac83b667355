/** Assembles the alarm feature for the composition root. */

import { alarmApi } from '../../contract/alarms.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import { createOutgoing, type OutgoingRules, systemLookup } from '../../lib/outgoing.ts';
import type { Secrets } from '../../store/secrets.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import { createAlarmActs } from './acts.ts';
import { alarmExportRoute } from './export.ts';
import { type AlarmMailer, createAlarmMailer } from './mail.ts';
import type { MailTextOptions } from './mail-text.ts';
import { createAlarmMonitor, type MonitorDeps } from './monitor.ts';
import { type MailServer, sendMail } from './send-mail.ts';
import { type AlarmService, createAlarmService } from './service.ts';
import { type AlarmWebhook, createWebhook, type EventFacts, withoutPath } from './webhook.ts';

export interface AlarmDeps extends Omit<MonitorDeps, 'rules' | 'mutedUntil' | 'tell' | 'notified'> {
  readonly secrets: Secrets;
  readonly audit: Audit;
  /** '' if none was set. */
  readonly hubName: () => string;
  /** The addresses that the webhook and mails may use. */
  readonly outgoing: () => OutgoingRules;
  readonly mail: {
    /** With the password in clear. */
    readonly server: () => MailServer;
    readonly text: () => MailTextOptions;
    readonly onChange: (listener: () => void) => void;
  };
}

const lookEveryMs = 1000;
/** Events that wait for one target. */
const room = 1000;

export function createAlarmFeature(deps: AlarmDeps) {
  const { db, secrets, audit, log, now } = deps;
  const outgoing = createOutgoing({ rules: deps.outgoing, lookup: systemLookup, ...timing.outgoing });
  const mailer = createAlarmMailer({
    ...{ db, log, now, room, server: deps.mail.server, text: deps.mail.text, times: timing.mail },
    send: (server, mail, signal) => sendMail(server, mail, { outgoing, times: timing.mail, signal }),
  });
  deps.mail.onChange(() => {
    mailer.reset(db);
    mailer.wake({ isNewTarget: true });
  });
  const about = (): EventFacts => {
    const hub = deps.hubName();
    return { time: now(), ...(hub !== '' && { hub }) };
  };
  const webhook = createWebhook({ db, secrets, log, now, room, outgoing, about, times: timing.webhook });
  const targets = [webhook, mailer];
  const unsaved = () => monitor.unsaved();
  const service = createAlarmService({ db, audit, webhook, outgoing: deps.outgoing, unsaved });
  const acts = createAlarmActs({ db, audit, now, monitor: () => monitor });
  const monitor = createAlarmMonitor({
    ...{ db, log, now, uptime: deps.uptime, media: deps.media, channels: deps.channels, space: deps.space },
    rules: service.rulesNow,
    mutedUntil: acts.mutedUntil,
    tell(tx, event, alarm) {
      const body = JSON.stringify({ event, ...about(), alarm });
      for (const target of targets) target.add(tx, body);
    },
    notified: wake,
  });
  function wake(): void {
    for (const target of targets) target.wake({ isNewTarget: false });
  }
  let timer: Timer | undefined;
  return {
    routes: [
      ...alarmRoutes(service, webhook, mailer),
      bind(alarmApi.acknowledge, ({ body, actor }) => acts.acknowledge(actor, body)),
      bind(alarmApi.mute, ({ body, actor }) => acts.mute(actor, body)),
      bind(alarmApi.unmute, ({ body, actor }) => acts.unmute(actor, body)),
    ],
    plainRoutes: [alarmExportRoute(service)],
    topics: [monitor.topic],
    copyRules: service.copyRules,
    /** Checks the streams once; `start` does so every second. */
    look: monitor.look,
    start(): void {
      timer = setInterval(monitor.look, lookEveryMs);
      wake();
    },
    close(): void {
      clearInterval(timer);
      for (const target of targets) target.close();
    },
  };
}

function alarmRoutes(alarms: AlarmService, webhook: AlarmWebhook, mailer: AlarmMailer): Route[] {
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
    bind(alarmApi.testMail, () => mailer.test()),
  ];
}
