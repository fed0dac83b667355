/** Assembles the alarm feature for the composition root. */

import { calls } from '../../contract/calls.ts';
import { lazyRoutes, type Session } from '../../http/route.ts';
import { createOutgoing, type OutgoingRules, systemLookup } from '../../lib/outgoing.ts';
import type { Secrets } from '../../store/secrets.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import { createAlarmActs } from './acts.ts';
import { createDeviceRules } from './device-rules.ts';
import { alarmExportRoute } from './export.ts';
import { createAlarmMailer } from './mail.ts';
import type { MailTextOptions } from './mail-text.ts';
import { createAlarmMonitor, type MonitorDeps } from './monitor.ts';
import { type MailServer, sendMail } from './send-mail.ts';
import { createAlarmService } from './service.ts';
import { createAlarmSight } from './sight.ts';
import { createWebhook, type EventFacts } from './webhook.ts';

export interface AlarmDeps
  extends Omit<MonitorDeps, 'rules' | 'deviceRules' | 'mutedUntil' | 'canSee' | 'tell' | 'notified'> {
  readonly secrets: Secrets;
  readonly audit: Audit;
  /** Whether there is such a device, and the caller may see it. */
  readonly canSeeDevice: (session: Session, sn: string) => boolean;
  /** Throws if there is no such device, or the caller may not see it. */
  readonly deviceName: (session: Session, sn: string) => string;
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
  const sight = createAlarmSight({ canSeeDevice: deps.canSeeDevice, common: (kind) => monitor.common(kind) });
  const active = () => monitor.active();
  const service = createAlarmService({ db, audit, webhook, outgoing: deps.outgoing, unsaved, active, sight });
  const deviceRules = createDeviceRules({ db, audit });
  const { canAct } = sight;
  const acts = createAlarmActs({ db, audit, now, monitor: () => monitor, canAct, deviceName: deps.deviceName });
  const monitor = createAlarmMonitor({
    ...{ db, log, now, uptime: deps.uptime, media: deps.media, channels: deps.channels, space: deps.space },
    devices: deps.devices,
    rules: service.rulesNow,
    deviceRules: deviceRules.now,
    canSee: sight.alarm,
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
      lazyRoutes(calls.alarms, async () =>
        (await import('./routes.ts')).alarmRoutes({ alarms: service, acts, webhook, mailer, deviceRules }),
      ),
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
