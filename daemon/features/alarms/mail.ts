/**
 * Mails about raised alarms. The table of alarms is the queue: what was raised after the last mailed alarm waits, also
 * across a restart of the hub. At most one mail goes out per minute, with everything that was raised meanwhile; a
 * server that does not accept it is tried again, more and more slowly, each time with the newest state.
 */
import type { Alarm, MailAttempt } from '../../contract/alarms.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { alarmMail, type MailTextOptions, testMail } from './mail-text.ts';
import { viewAlarm } from './monitor.ts';
import type { Mail, MailServer } from './send-mail.ts';
import { lastAlarmId, listAlarmsAfter, type Mailed, readMailed, writeMailed } from './store.ts';

export interface AlarmMailDeps {
  readonly db: Database;
  readonly log: Log;
  readonly now: () => number;
  /** With the password in clear. */
  readonly server: () => MailServer;
  readonly text: () => MailTextOptions;
  readonly send: (server: MailServer, mail: Mail, signal: AbortSignal) => Promise<MailAttempt>;
  readonly times: { readonly everyMs: number; readonly firstRetryMs: number; readonly maxRetryMs: number };
}

export type AlarmMailer = ReturnType<typeof createAlarmMailer>;

export function createAlarmMailer({ db, log, now, server, text, send, times }: AlarmMailDeps) {
  const stopped = new AbortController();
  let timer: Timer | undefined;
  let failures = 0;
  let isSending = false;
  /** Whether something may have to be sent. */
  let isWoken = false;
  let isTesting = false;

  const stored = readMailed(db);
  let mailed = stored ?? { lastAlarm: lastAlarmId(db), sentAt: 0 };
  /** In memory first: while the disk is full, a mail that was sent must not be sent again. */
  const note = (next: Mailed): void => {
    if (next.lastAlarm === mailed.lastAlarm && next.sentAt === mailed.sentAt) return;
    mailed = next;
    writeMailed(db, next);
  };
  if (stored === undefined) writeMailed(db, mailed);

  const again = (ms: number): void => {
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, ms);
  };
  const retry = (): void => {
    failures += 1;
    again(Math.min(times.maxRetryMs, times.firstRetryMs * 2 ** (failures - 1)));
  };

  /** Sends what waits. Returns whether there may be more. */
  const sendWaiting = async (to: MailServer): Promise<boolean> => {
    const { lastAlarm, sentAt } = mailed;
    const waiting = listAlarmsAfter(db, lastAlarm).map(viewAlarm);
    const newest = waiting.at(-1)?.id ?? lastAlarm;
    const alarms = waiting.filter((alarm) => !isMuted(alarm, now()));
    if (alarms.length === 0) {
      note({ lastAlarm: newest, sentAt });
      return false;
    }
    // A clock that was set back must not keep mails from going out.
    const left = Math.min(times.everyMs, sentAt + times.everyMs - now());
    if (left > 0) {
      again(left);
      return false;
    }
    const ended = await send(to, alarmMail(alarms, text()), stopped.signal);
    if (stopped.signal.aborted) return false;
    const isTaken = ended.ok || (ended.refused !== undefined && ended.refused.length < to.to.length);
    if (!ended.ok && failures === 0) {
      const facts = { reason: ended.reason, code: ended.code, alarms: alarms.length };
      log.warn(isTaken ? 'some recipients of alarm mails were refused' : 'an alarm mail was not accepted', facts);
    }
    if (isTaken) {
      failures = 0;
      note({ lastAlarm: newest, sentAt: now() });
    } else retry();
    return isTaken;
  };

  const run = async (): Promise<void> => {
    isWoken = true;
    if (isSending || stopped.signal.aborted) return;
    isSending = true;
    try {
      while (isWoken && timer === undefined) {
        isWoken = false;
        const to = server();
        // What is raised while mails are off is not mailed later.
        if (!to.enabled) note({ ...mailed, lastAlarm: lastAlarmId(db) });
        else if (await sendWaiting(to)) isWoken = true;
      }
    } catch (error) {
      log.error('alarm mails can’t be sent', { reason: error instanceof Error ? error.name : 'unknown' });
      if (timer === undefined && !stopped.signal.aborted) retry();
    } finally {
      isSending = false;
    }
  };

  return {
    /** Call after an alarm was raised, at the start, and when the settings have changed. */
    wake({ isNewTarget }: { readonly isNewTarget: boolean }): void {
      if (isNewTarget) {
        clearTimeout(timer);
        timer = undefined;
        failures = 0;
      }
      void run();
    },
    async test(): Promise<MailAttempt> {
      const to = server();
      if (to.host === '' || to.from === '' || to.to.length === 0) {
        throw new HubError('wrongState', 'server, sender or recipients of mails are not set');
      }
      if (isTesting) throw new HubError('inProgress', 'a test is on its way');
      isTesting = true;
      try {
        return await send(to, testMail(text()), stopped.signal);
      } finally {
        isTesting = false;
      }
    },
    close(): void {
      clearTimeout(timer);
      stopped.abort();
    },
  };
}

function isMuted({ 'muted-until': until }: Alarm, now: number): boolean {
  return until !== undefined && (until === 0 || until > now);
}
