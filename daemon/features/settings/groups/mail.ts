/** Settings of the mails about alarms. */
import { isIP } from 'node:net';
import type * as z from 'zod/mini';
import { type MailChange, settingsFields } from '../../../contract/settings-fields.ts';
import { fieldError } from '../../../lib/hub-error.ts';
import type { Log } from '../../../lib/log.ts';
import { type OutgoingRules, refusalOf } from '../../../lib/outgoing.ts';
import { bareAddress } from '../../../lib/outgoing-address.ts';
import { movedSecret } from '../../../sources/kept-secrets.ts';
import type { Secrets } from '../../../store/secrets.ts';
import type { SettingsGroup } from '../registry.ts';
import type { StoredSettings } from '../store.ts';

type Mail = StoredSettings['mail'];
type Change = z.infer<typeof MailChange>;

interface MailDeps {
  readonly secrets: Secrets;
  /** The addresses that the hub may connect to. */
  readonly rules: () => OutgoingRules;
  readonly onChange: () => void;
}

export function mailGroup({ secrets, rules, onChange }: MailDeps): SettingsGroup<Mail, Change> {
  return {
    name: 'mail',
    schema: settingsFields.mail,
    initial: {
      ...{ enabled: false, host: '', port: 587, encryption: 'starttls', user: '', password: '', from: '', to: [] },
    },
    show: ({ password, ...mail }) => ({ ...mail, 'password-set': password !== '' }),
    merge(now, change) {
      const next = mergeWhole(now, change, secrets);
      refuseAddress(next, rules());
      return next;
    },
    // The address is checked again for each mail.
    mergeFile: (initial, change) => mergeWhole(initial, change, secrets),
    describe: ({ enabled, host, port, to }) => [
      { word: enabled ? 'mailOn' : 'mailOff' },
      ...(host === '' ? [] : [{ word: 'address', value: `${host}:${port}` } as const]),
      ...(to.length === 0 ? [] : [{ word: 'recipients', value: to.join(', ') } as const]),
    ],
    secrets: ({ password }) => (password === '' ? {} : { password: openedPassword(password, secrets) }),
    onChange,
  };
}

function openedPassword(password: string, secrets: Pick<Secrets, 'open'>): string {
  try {
    return secrets.open(password);
  } catch {
    return '';
  }
}

function mergeWhole(now: Mail, change: Change, secrets: Pick<Secrets, 'seal'>): Mail {
  const next = mergeMail(now, change, secrets);
  if (next.enabled) refuseIncomplete(next);
  return next;
}

function mergeMail(now: Mail, change: Change, secrets: Pick<Secrets, 'seal'>): Mail {
  const next = {
    enabled: change.enabled ?? now.enabled,
    host: change.host ?? now.host,
    port: change.port ?? now.port,
    encryption: change.encryption ?? now.encryption,
    user: change.user ?? now.user,
    from: change.from ?? now.from,
    to: [...new Set(change.to ?? now.to)],
  };
  const given = change.password ?? '';
  if (next.user === '') {
    if (given !== '') throw fieldError('mail.user', 'required', 'a password requires a user');
    return { ...next, password: '' };
  }
  if (given !== '') return { ...next, password: secrets.seal(given) };
  if (now.password !== '' && serverOf(next) !== serverOf(now)) throw movedSecret('mail.password', 'password');
  return { ...next, password: now.password };
}

/** A stored password goes to no other server, and not in clear to the same one. */
function serverOf({ host, port, encryption }: Pick<Mail, 'host' | 'port' | 'encryption'>): string {
  return `${encryption} ${host.toLowerCase()} ${port}`;
}

function refuseIncomplete({ host, from, to, user, password }: Mail): void {
  if (host === '') throw fieldError('mail.host', 'required', 'a mail server is required');
  if (from === '') throw fieldError('mail.from', 'required', 'a sender is required');
  if (to.length === 0) throw fieldError('mail.to', 'required', 'a recipient is required');
  if (user !== '' && password === '') throw fieldError('mail.password', 'required', 'a user requires a password');
}

/** Checks an IP address; a host name is checked when a mail resolves it. */
function refuseAddress({ host, port }: Mail, rules: OutgoingRules): void {
  const refusal = isIP(host) === 0 ? undefined : refusalOf(bareAddress(host), { port }, rules);
  if (refusal !== undefined) throw fieldError('mail.host', 'addressNotAllowed', refusal);
}

/** Without the key file of the database the password is lost: the mail server then refuses the hub, which says so. */
export function mailPasswordOf({ password }: Mail, secrets: Pick<Secrets, 'open'>, log: Log): string {
  if (password === '') return '';
  try {
    return secrets.open(password);
  } catch {
    log.error('the mail password was stored with another secrets.key; set it again in the settings');
    return '';
  }
}
