/** Mails about alarms: at most one per minute, which lists everything that was raised or cleared meanwhile. */
import type { Alarm, MailAttempt } from '../../contract/alarms.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { createDelivery } from './delivery.ts';
import { alarmMail, type MailTextOptions, testMail } from './mail-text.ts';
import { viewAlarm } from './monitor.ts';
import type { Mail, MailServer } from './send-mail.ts';
import { listAlarmsById } from './store.ts';

export interface AlarmMailDeps {
  readonly db: Database;
  readonly log: Log;
  readonly now: () => number;
  /** With the password in clear. */
  readonly server: () => MailServer;
  readonly text: () => MailTextOptions;
  readonly send: (server: MailServer, mail: Mail, signal: AbortSignal) => Promise<MailAttempt>;
  readonly times: { readonly everyMs: number; readonly firstRetryMs: number; readonly maxRetryMs: number };
  /** Capacity of the queue. */
  readonly room: number;
}

export type AlarmMailer = ReturnType<typeof createAlarmMailer>;

export function createAlarmMailer({ db, log, now, server, text, send, times, room }: AlarmMailDeps) {
  /** The alarms as they are now, without muted ones. */
  const alarmsOf = (bodies: readonly string[]): Alarm[] => {
    const told = new Map(
      bodies.map((body) => (JSON.parse(body) as { alarm: Alarm }).alarm).map((one) => [one.id, one]),
    );
    // An alarm that was deleted since is told as it was.
    for (const row of listAlarmsById(db, [...told.keys()])) told.set(row.id, viewAlarm(row));
    return [...told.values()].filter((alarm) => !isMuted(alarm, now()));
  };
  const delivery = createDelivery<MailAttempt>({
    ...{ db, log, now, times, room, name: 'mail', atOnce: room },
    isOn: () => server().enabled,
    attempt(events, signal) {
      const alarms = alarmsOf(events.map(({ body }) => body));
      return alarms.length === 0 ? undefined : send(server(), alarmMail(alarms, text()), signal);
    },
    // Otherwise those who got the mail would get it again.
    isAccepted: ({ ok, refused }) => ok || (refused !== undefined && refused.length < server().to.length),
  });
  return {
    ...delivery,
    async test(): Promise<MailAttempt> {
      const { host, from, to } = server();
      if (host === '' || from === '' || to.length === 0) {
        throw new HubError('wrongState', 'the mail server, the sender or the recipients are not configured');
      }
      return delivery.test((signal) => send(server(), testMail(text()), signal));
    },
  };
}

function isMuted({ 'muted-until': until }: Alarm, now: number): boolean {
  return until !== undefined && (until === 0 || until > now);
}
