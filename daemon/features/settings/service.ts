import { randomUUID } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { firstPasswordRule, type PasswordRule } from '../../contract/password-rule.ts';
import type { Language } from '../../contract/rules.ts';
import { type Settings, usualHttpsPort } from '../../contract/settings.ts';
import { groupsOf, type SettingsChange, type SettingsGroup, settingsGroups } from '../../contract/settings-fields.ts';
import type { CertificateStore } from '../../http/certificate.ts';
import type { Actor } from '../../http/route.ts';
import type { WebServer } from '../../http/web-server.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { OutgoingRules } from '../../lib/outgoing.ts';
import type { PortState } from '../../lib/port-probe.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import { mergeSrt, mergeWeb, newWebPorts } from './merge.ts';
import { type OpenPorts, withOpenPorts } from './open-ports.ts';
import { readGroup, type StoredSettings, writeGroup } from './store.ts';
import { weakens } from './weaker.ts';

export type WebSettings = StoredSettings['web'];
export type SrtSettings = StoredSettings['srt'];

/** The listeners of console and API, as the settings see them. */
interface WebPort {
  readonly prepare: WebServer['prepare'];
  readonly certificate: CertificateStore['state'];
}

/** Port 0 means any free port. */
export interface InitialSettings {
  readonly rtmpPort: number;
  readonly srtPort: number;
  readonly httpPort: number;
  readonly httpsPort: number | null;
  /** Ports that parts of the hub reserve. */
  readonly reservedPorts: readonly number[];
}

interface SettingsOptions {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly initial: InitialSettings;
  readonly openPorts: () => OpenPorts & { readonly hls: number };
  readonly web: WebPort;
  readonly probe: (kind: 'tcp' | 'udp', port: number) => Promise<PortState>;
  readonly log: Log;
}

/** Replaces a passphrase that was lost: the listener stays encrypted. */
const nobodyKnows = randomUUID();
const maxWaiting = 16;

export type SettingsService = ReturnType<typeof createSettingsService>;

export function createSettingsService(options: SettingsOptions) {
  const { db, secrets, audit, initial, web: webPort } = options;
  const mediaChange = createEmitter();
  const current = readAll(db, initial);
  current.srt = withoutUnreadable(current.srt, secrets, options.log);
  logDifferences(current, initial, options.log);
  const reported = () => withOpenPorts(current, options.openPorts());
  const reserved = () => [...initial.reservedPorts, options.openPorts().hls];
  let queue: Promise<void> = Promise.resolve();
  let waiting = 0;

  const save = <G extends SettingsGroup>(
    actor: Actor,
    group: G,
    value: StoredSettings[G],
    changes: readonly OperationChange[],
  ) => {
    transaction(db, (tx) => {
      writeGroup(tx, group, value);
      const edited = [groupEdit(group)];
      audit.record(tx, actor, { action: 'settings.set', subject: group, changes, edited });
    });
    current[group] = value;
  };
  const checkPort = async (kind: 'tcp' | 'udp', port: number, path: string) => {
    const state = reserved().includes(port) && kind === 'tcp' ? 'occupied' : await options.probe(kind, port);
    if (state !== 'free') throw portError(state, port, path);
  };

  const changeRtmp = async (actor: Actor, port: number) => {
    if (port !== reported().rtmp.port) await checkPort('tcp', port, 'rtmp.port');
    save(actor, 'rtmp', { port }, [{ word: 'port', value: String(port) }]);
    mediaChange.emit();
  };
  const changeSrt = async (actor: Actor, change: NonNullable<SettingsChange['srt']>) => {
    const next = mergeSrt(reported().srt, change, secrets);
    if (next.port !== reported().srt.port) await checkPort('udp', next.port, 'srt.port');
    save(actor, 'srt', next, [
      { word: 'port', value: String(next.port) },
      { word: 'latency', value: String(next.latencyMs) },
      next.keyLength === 0 ? { word: 'noEncryption' } : { word: 'encryption', value: `AES-${next.keyLength * 8}` },
    ]);
    mediaChange.emit();
  };
  const changeWeb = async (actor: Actor, change: NonNullable<SettingsChange['web']>) => {
    const next = mergeWeb(reported().web, change, { isSecure: actor.isSecure === true });
    for (const [port, path] of newWebPorts(reported().web, next)) {
      if (reserved().includes(port)) throw portError('occupied', port, path);
    }
    const prepared = await webPort.prepare(next);
    try {
      save(actor, 'web', next, [
        { word: 'httpPort', value: String(next.httpPort) },
        next.isHttpsEnabled ? { word: 'httpsPort', value: String(next.httpsPort) } : { word: 'noHttps' },
        ...(next.isRedirected ? [{ word: 'httpRedirected' } as const] : []),
        ...(next.hsts === 'on' ? [{ word: 'hsts' } as const] : []),
      ]);
    } catch (error) {
      prepared.abort();
      throw error;
    }
    prepared.commit();
    // The engine must not pull streams from the ports of the console.
    mediaChange.emit();
  };
  const changeOutgoing = (actor: Actor, change: NonNullable<SettingsChange['outgoing']>) => {
    const { privateMedia, privateWebhook } = current.outgoing;
    const next = {
      privateMedia: change['private-media'] ?? privateMedia,
      privateWebhook: change['private-webhook'] ?? privateWebhook,
    };
    save(actor, 'outgoing', next, [
      { word: 'privateMedia', value: String(next.privateMedia) },
      { word: 'privateWebhook', value: String(next.privateWebhook) },
    ]);
    mediaChange.emit();
  };
  const apply = async (actor: Actor, change: SettingsChange): Promise<void> => {
    if (change.rtmp) await changeRtmp(actor, change.rtmp.port);
    if (change.srt) await changeSrt(actor, change.srt);
    if (change.web) await changeWeb(actor, change.web);
    if (change.outgoing) changeOutgoing(actor, change.outgoing);
    if (change.security) {
      const {
        'enable-code': isCodeNeeded = current.security.isCodeNeeded,
        'code-value': code = current.security.code,
      } = change.security;
      const operation: OperationChange = isCodeNeeded ? { word: 'invitationCode' } : { word: 'noInvitationCode' };
      save(actor, 'security', { isCodeNeeded, code }, [operation]);
    }
    if (change.language) save(actor, 'language', change.language, [{ word: 'language', value: change.language }]);
    const rule = change['pwd-rule'];
    if (rule) save(actor, 'pwd-rule', rule, [{ word: 'passwordRule', value: ruleText(rule) }]);
    const signIn = change['sign-in'];
    if (signIn) {
      const allowsMd5 = signIn['allow-md5'];
      save(actor, 'sign-in', { allowsMd5 }, [{ word: allowsMd5 ? 'md5' : 'noMd5' }]);
    }
    const minutes = change['expired-time'];
    if (minutes === undefined) return;
    const isEndless = minutes === limits.sessionMinutes.never;
    const operation: OperationChange = isEndless
      ? { word: 'noExpiry' }
      : { word: 'sessionMinutes', value: String(minutes) };
    save(actor, 'expired-time', minutes, [operation]);
  };

  const applyUnchanged: SettingsService['change'] = async (actor, change, { mayWeaken }) => {
    const [group] = groupsOf(change);
    if (group === undefined) throw new Error('a change of settings without a group');
    refuseStale(db, groupEdit(group), group, change.revision);
    if (!mayWeaken && weakens(current, change)) {
      throw new HubError('notPermitted', 'weakening sign-in requires permission to manage users');
    }
    await apply(actor, change);
    return revisionOf(db, groupEdit(group));
  };

  return {
    rtmp: (): StoredSettings['rtmp'] => reported().rtmp,
    /** With the passphrase in clear. */
    srt: (): SrtSettings => ({ ...reported().srt, passphrase: reveal(current.srt, secrets) }),
    web: (): WebSettings => reported().web,
    expiryMinutes: (): number => current['expired-time'],
    passwordRule: (): PasswordRule => current['pwd-rule'],
    /** Whether the hub accepts the MD5 of a password instead of the password. */
    allowsMd5: (): boolean => current['sign-in'].allowsMd5,
    /** The code that devices must send when they join; undefined if none is required. */
    invitationCode: (): string | undefined => (current.security.isCodeNeeded ? current.security.code : undefined),
    language: (): Language => current.language,
    /** The addresses that inputs and outputs may connect to, and those for the webhook. */
    outgoing(): { readonly media: OutgoingRules; readonly webhook: OutgoingRules } {
      const closedPorts = [...webPorts(reported().web), ...initial.reservedPorts].filter((port) => port !== 0);
      const { privateMedia, privateWebhook } = current.outgoing;
      return {
        media: { allowsPrivate: privateMedia, setting: 'outgoing.private-media', closedPorts },
        webhook: { allowsPrivate: privateWebhook, setting: 'outgoing.private-webhook', closedPorts },
      };
    },
    /** Every port that the hub listens on or reserves. */
    ownPorts(): number[] {
      const { rtmp, srt, web } = reported();
      return [rtmp.port, srt.port, ...webPorts(web), ...reserved()].filter((port) => port !== 0);
    },
    shown: (): Settings => ({ ...show(reported(), webPort), revision: revisionsOf(db) }),
    /** Returns the invitation code after recording the access in the operation log. */
    revealCode(actor: Actor): string {
      const entry = { action: 'settings.reveal', subject: 'security' } as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, entry));
      return current.security.code;
    },
    /** Returns the new revision. Throws `notPermitted` when the change weakens sign-in without `mayWeaken`. */
    change(actor: Actor, change: SettingsChange, may: { readonly mayWeaken: boolean }): Promise<number> {
      if (waiting >= maxWaiting) return Promise.reject(new HubError('tryAgain', 'too many changes wait'));
      waiting += 1;
      // One after another: a port that was found to be free must still be free when it is opened.
      const turn = queue.then(() => applyUnchanged(actor, change, may)).finally(() => (waiting -= 1));
      queue = turn.then(
        () => {},
        () => {},
      );
      return turn;
    },
    /** Calls the listener after a change that the media engine needs. */
    onMediaChange: mediaChange.on,
  };
}

function readAll(db: Queries, initial: InitialSettings): StoredSettings {
  return {
    rtmp: readGroup(db, 'rtmp') ?? { port: initial.rtmpPort },
    srt: readGroup(db, 'srt') ?? {
      port: initial.srtPort,
      latencyMs: limits.latency.default,
      keyLength: 0,
      passphrase: '',
    },
    web: {
      httpPort: initial.httpPort,
      isHttpsEnabled: initial.httpsPort !== null,
      httpsPort: initial.httpsPort ?? usualHttpsPort,
      isRedirected: false,
      hsts: 'never',
      // Older hubs stored neither redirect nor HSTS.
      ...readGroup(db, 'web'),
    },
    'expired-time': readGroup(db, 'expired-time') ?? limits.sessionMinutes.default,
    'pwd-rule': readGroup(db, 'pwd-rule') ?? firstPasswordRule,
    'sign-in': readGroup(db, 'sign-in') ?? { allowsMd5: true },
    security: readGroup(db, 'security') ?? { isCodeNeeded: false, code: '0000' },
    language: readGroup(db, 'language') ?? 'auto',
    outgoing: readGroup(db, 'outgoing') ?? { privateMedia: true, privateWebhook: false },
  };
}

function webPorts({ httpPort, isHttpsEnabled, httpsPort }: WebSettings): number[] {
  return isHttpsEnabled ? [httpPort, httpsPort] : [httpPort];
}

/** Requirements of the rule, such as `length 8, number 1`. */
function ruleText(rule: PasswordRule): string {
  const asked = Object.entries(rule).filter(([, least]) => least > 0);
  return asked.map(([member, least]) => `${member} ${least}`).join(', ');
}

/** The environment supplies initial values only; the log shows which one applies if both are set. */
function logDifferences({ rtmp, srt, web }: StoredSettings, initial: InitialSettings, log: Log): void {
  const pairs = [
    ['SIGNALBOX_RTMP_PORT', initial.rtmpPort, rtmp.port],
    ['SIGNALBOX_SRT_PORT', initial.srtPort, srt.port],
    ['SIGNALBOX_HTTP_PORT', initial.httpPort, web.httpPort],
    ['SIGNALBOX_HTTPS_PORT', initial.httpsPort ?? 'off', web.isHttpsEnabled ? web.httpsPort : 'off'],
  ] as const;
  for (const [variable, given, stored] of pairs) {
    if (given === stored) continue;
    log.info('the value set in the console overrides the environment variable', { variable, given, stored });
  }
}

/** A database restored without its key file: the hub starts, but does not accept unencrypted connections meanwhile. */
function withoutUnreadable(srt: SrtSettings, secrets: Secrets, log: Log): SrtSettings {
  if (srt.passphrase === '') return srt;
  try {
    secrets.open(srt.passphrase);
    return srt;
  } catch {
    log.error(
      'the SRT passphrase was stored with another secrets.key; set it again in the settings, or put that file back',
    );
    return { ...srt, passphrase: '' };
  }
}

function reveal({ passphrase, keyLength }: SrtSettings, secrets: Secrets): string {
  if (passphrase !== '') return secrets.open(passphrase);
  return keyLength === 0 ? '' : nobodyKnows;
}

function groupEdit(group: SettingsGroup): Edited {
  return { noun: 'settings', id: group };
}

function revisionsOf(db: Queries): Settings['revision'] {
  const revisions = settingsGroups.map((group) => [group, revisionOf(db, groupEdit(group))] as const);
  return Object.fromEntries(revisions) as Settings['revision'];
}

function show(current: StoredSettings, webPort: WebPort): Omit<Settings, 'revision'> {
  const { isCertValid, isKeyValid } = webPort.certificate();
  return {
    rtmp: { port: current.rtmp.port },
    srt: {
      port: current.srt.port,
      latency: current.srt.latencyMs,
      'pb-key-len': current.srt.keyLength,
      'passphrase-set': current.srt.passphrase !== '',
    },
    web: {
      'http-port': current.web.httpPort,
      'enable-https': current.web.isHttpsEnabled,
      'https-port': current.web.httpsPort,
      'redirect-https': current.web.isRedirected,
      hsts: current.web.hsts === 'on',
      'is-cert-valid': isCertValid,
      'is-cert-key-valid': isKeyValid,
    },
    'expired-time': current['expired-time'],
    'pwd-rule': current['pwd-rule'],
    'sign-in': { 'allow-md5': current['sign-in'].allowsMd5 },
    security: { 'enable-code': current.security.isCodeNeeded, 'code-value': current.security.code },
    language: current.language,
    outgoing: {
      'private-media': current.outgoing.privateMedia,
      'private-webhook': current.outgoing.privateWebhook,
    },
  };
}

function portError(state: Exclude<PortState, 'free'>, port: number, path: string): HubError {
  if (state === 'forbidden') {
    const message = `the system does not let the hub open port ${port}; choose one above 1023`;
    return fieldError(path, 'privilegedPort', message);
  }
  return new HubError('portOccupied', `port ${port} is occupied`, { params: { port } });
}
