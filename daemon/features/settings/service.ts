/** The settings that every hub has, and those that further nouns register. */
import type { CertificateSubject } from '../../contract/certificate-fields.ts';
import type { PasswordRule } from '../../contract/password-rule.ts';
import type { Language } from '../../contract/rules.ts';
import type { Settings } from '../../contract/settings.ts';
import type { SettingsChange } from '../../contract/settings-fields.ts';
import { featureBits } from '../../contract/variant.ts';
import type { Certificate } from '../../http/certificate.ts';
import type { Actor } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { OutgoingRules } from '../../lib/outgoing.ts';
import type { PortState } from '../../lib/port-probe.ts';
import { type Database, transaction } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import { mailGroup, mailPasswordOf } from './groups/mail.ts';
import { discoveryGroup, ndiServerGroup, videohubGroup } from './groups/ndi.ts';
import {
  hubNameGroup,
  invitationGroup,
  languageGroup,
  passwordRuleGroup,
  sessionGroup,
  signInGroup,
  upgradeRateGroup,
} from './groups/sign-in.ts';
import { outgoingGroup, passphraseOf, rtmpGroup, srtGroup, withoutUnreadable } from './groups/streams.ts';
import { type WebPort, webGroup, webPorts } from './groups/web.ts';
import { createSettingsRegistry } from './registry.ts';
import type { StoredSettings } from './store.ts';

export type WebSettings = StoredSettings['web'];

/** Port 0 means any free port. */
export interface InitialSettings {
  readonly rtmpPort: number;
  readonly srtPort: number;
  readonly httpPort: number;
  readonly httpsPort: number | null;
  /** Ports that parts of the hub reserve. */
  readonly reservedPorts: readonly number[];
}

/** Settings may contain port 0. A port is 0 here until it is open. */
interface OpenPorts {
  readonly rtmp: number;
  readonly srt: number;
  readonly hls: number;
  readonly http: number;
  readonly https: number | null;
}

interface SettingsOptions {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly initial: InitialSettings;
  /** Bits of `featureBits`. */
  readonly features: number;
  readonly openPorts: () => OpenPorts;
  readonly web: WebPort;
  readonly probe: (kind: 'tcp' | 'udp', port: number) => Promise<PortState>;
  readonly log: Log;
}

/** How the console is served, as a settings file has it. */
export interface WebFileChange {
  readonly ports: Readonly<Required<Pick<WebChange, 'http-port' | 'enable-https' | 'https-port'>>>;
  /** Undefined: the present one stays. */
  readonly pair: Certificate | undefined;
  readonly actor: Actor;
}
type WebChange = NonNullable<SettingsChange['web']>;

export type SettingsService = ReturnType<typeof createSettingsService>;

export function createSettingsService(options: SettingsOptions) {
  const { db, secrets, audit, now, initial, openPorts, log } = options;
  const registry = createSettingsRegistry({ db, audit, log, now });
  const mediaChange = createEmitter();
  const reserved = () => [...initial.reservedPorts, openPorts().hls];
  const checkPort = async (kind: 'tcp' | 'udp', port: number, path: string) => {
    const state = reserved().includes(port) && kind === 'tcp' ? 'occupied' : await options.probe(kind, port);
    if (state !== 'free') throw portError(state, port, path);
  };
  const common = { checkPort, onChange: mediaChange.emit };

  const rtmp = registry.register(rtmpGroup({ ...common, port: initial.rtmpPort, openPort: () => openPorts().rtmp }));
  const srt = registry.register(
    srtGroup({ ...common, port: initial.srtPort, openPort: () => openPorts().srt, secrets }),
    (stored) => withoutUnreadable(stored, secrets, log),
  );
  const web = registry.register(
    webGroup({
      ...{ httpPort: initial.httpPort, httpsPort: initial.httpsPort, openPorts, web: options.web },
      refuseReserved(port, path) {
        if (reserved().includes(port)) throw portError('occupied', port, path);
      },
      onChange: mediaChange.emit,
    }),
  );
  // The hub may have ended between the change of the settings and that of the files.
  options.web.certificates.settle(web().certificate);
  const expiryMinutes = registry.register(sessionGroup);
  const passwordRule = registry.register(passwordRuleGroup);
  const signIn = registry.register(signInGroup);
  const security = registry.register(invitationGroup);
  const language = registry.register(languageGroup);
  const hubName = registry.register(hubNameGroup);
  const upgradeRate = registry.register(upgradeRateGroup);
  const outgoing = registry.register(outgoingGroup(mediaChange.emit));
  const discoveryChange = createEmitter();
  // The router's process restarts with a change; channels use it with their next attempt to connect.
  discoveryChange.on(mediaChange.emit);
  const ndiDiscovery = registry.register(discoveryGroup(discoveryChange.emit));
  const isNdiOn = (options.features & featureBits.ndiRouter) !== 0;
  const ndiServerChange = createEmitter();
  const ndiServer = registry.register(ndiServerGroup(ndiServerChange.emit, isNdiOn));
  const videohubChange = createEmitter();
  const videohub = registry.register(videohubGroup(videohubChange.emit, isNdiOn));
  const mailChange = createEmitter();
  const mail = registry.register(
    mailGroup({ secrets, rules: () => outgoingRules().webhook, onChange: mailChange.emit }),
  );
  logDifferences(registry, initial, log);

  function outgoingRules(): { readonly media: OutgoingRules; readonly webhook: OutgoingRules } {
    const closedPorts = [...webPorts(web()), ...initial.reservedPorts].filter((port) => port !== 0);
    const { privateMedia, privateWebhook } = outgoing();
    return {
      media: { allowsPrivate: privateMedia, setting: 'outgoing.private-media', closedPorts },
      webhook: { allowsPrivate: privateWebhook, setting: 'outgoing.private-webhook', closedPorts },
    };
  }

  /** With the files of a certificate as an upload leaves them. */
  const asUploaded = ({ ports, pair }: WebFileChange) => {
    const keep = (kind: 'cert' | 'key') => options.web.uploads.keep(kind, Buffer.from(pair?.[kind] ?? '', 'latin1'));
    return { ...ports, ...(pair && { 'cert-filename': keep('cert'), 'cert-key-filename': keep('key') }) };
  };

  return {
    register: registry.register,
    changeSchema: registry.changeSchema,
    change: registry.change,
    confirm: registry.confirm,
    shareConfirmation: registry.shareConfirmation,
    exported: registry.exported,
    merged: registry.merged,
    normal: registry.normal.bind(registry),
    refuseUnusable: registry.refuseUnusable,
    close: registry.close,
    isTried: registry.isTried,
    keep: registry.keep,
    proves: registry.proves,
    undo: registry.undo,
    /** The certificate of HTTPS and its key, if an administrator installed them. */
    installedPair: () => options.web.certificates.installed(),
    /** Throws HubError if the console cannot be served like this. */
    refuseWeb: (change: WebFileChange): Promise<void> => registry.refuse(change.actor, 'web', asUploaded(change)),
    /** A part of a larger change: reverted after `waitMs` unless it is kept; 0: it is final. */
    takeWeb: (change: WebFileChange, waitMs: number): Promise<void> =>
      registry.take(change.actor, 'web', asUploaded(change), waitMs),
    rtmp,
    /** With the passphrase in clear. */
    srt: (): StoredSettings['srt'] => ({ ...srt(), passphrase: passphraseOf(srt(), secrets) }),
    web,
    expiryMinutes: (): number => expiryMinutes(),
    passwordRule: (): PasswordRule => passwordRule(),
    /** Whether the hub accepts the MD5 of a password instead of the password. */
    allowsMd5: (): boolean => signIn().allowsMd5,
    /** The code that devices must send when they join; undefined if none is required. */
    invitationCode: (): string | undefined => (security().isCodeNeeded ? security().code : undefined),
    language: (): Language => language(),
    /** '' if none was set. */
    hubName: (): string => hubName(),
    ndiDiscovery: (): StoredSettings['ndi-discovery'] => ndiDiscovery(),
    onNdiDiscoveryChange: discoveryChange.on,
    /** The hub's own discovery server. */
    ndiServer: (): StoredSettings['hub-ndi-server'] => ndiServer(),
    onNdiServerChange: ndiServerChange.on,
    /** The server for hardware panels. */
    videohub: (): StoredSettings['videohub'] => videohub(),
    onVideohubChange: videohubChange.on,
    /** Bytes per second of all uploads to devices together. */
    upgradeRate: (): number => (upgradeRate() === 0 ? Number.POSITIVE_INFINITY : (upgradeRate() * 1e6) / 8),
    /** The addresses that inputs and outputs may connect to, and those for the webhook and mails. */
    outgoing: outgoingRules,
    /** Those of devices, most of which are in private networks: only users who may approve devices enter them. */
    outgoingToDevices: (): OutgoingRules => ({ ...outgoingRules().media, allowsPrivate: true }),
    /** With the password in clear; '' for none. */
    mail: (): StoredSettings['mail'] => ({ ...mail(), password: mailPasswordOf(mail(), secrets, log) }),
    onMailChange: mailChange.on,
    /** Every port that the hub listens on or reserves. */
    ownPorts(): number[] {
      return [rtmp().port, srt().port, ...webPorts(web()), ...reserved()].filter((port) => port !== 0);
    },
    /** `mayEdit`: with the invitation code. */
    shown(mayEdit = true): Settings {
      const { cert, key } = options.web.certificates.files;
      return { ...registry.shown(mayEdit), 'cert-path': cert, 'cert-key-path': key } as unknown as Settings;
    },
    /** In PEM, with those of the authorities behind it; undefined before HTTPS was first used. */
    certificate: (): string | undefined => options.web.certificates.present(),
    /** Whether the hub has the key of a certificate in PEM. */
    hasKeyOf: (pem: string): boolean => options.web.certificates.hasKeyOf(pem),
    /** Returns the name by which the settings install the file. */
    uploadCertificate(actor: Actor, kind: 'cert' | 'key', file: Uint8Array): string {
      const name = options.web.uploads.keep(kind, file);
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'settings.upload', subject: 'web' }));
      return name;
    },
    /** Returns the request in PEM. */
    async requestCertificate(actor: Actor, subject: CertificateSubject): Promise<string> {
      const pem = await options.web.certificates.request(subject);
      const changes = [{ word: 'name', value: subject.names.join(', ') }] as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'settings.request', subject: 'web', changes }));
      return pem;
    },
    /** Returns the invitation code after recording the access in the operation log. */
    revealCode(actor: Actor): string {
      const entry = { action: 'settings.reveal', subject: 'security' } as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, entry));
      return security().code;
    },
    /** Calls the listener after a change that the media engine needs. */
    onMediaChange: mediaChange.on,
  };
}

/** The environment supplies initial values only; the log shows which one applies if both are set. */
function logDifferences(
  { stored }: Pick<ReturnType<typeof createSettingsRegistry>, 'stored'>,
  initial: InitialSettings,
  log: Log,
): void {
  const [rtmp, srt] = [stored('rtmp'), stored('srt')] as [StoredSettings['rtmp'], StoredSettings['srt']];
  const web = stored('web') as WebSettings;
  const pairs = [
    ['SIGNALBOX_RTMP_PORT', initial.rtmpPort, rtmp.port],
    ['SIGNALBOX_SRT_PORT', initial.srtPort, srt.port],
    ['SIGNALBOX_HTTP_PORT', initial.httpPort, web.httpPort],
    ['SIGNALBOX_HTTPS_PORT', initial.httpsPort ?? 'off', web.isHttpsEnabled ? web.httpsPort : 'off'],
  ] as const;
  for (const [variable, given, current] of pairs) {
    if (given === current) continue;
    log.info('the value set in the console overrides the environment variable', { variable, given, stored: current });
  }
}

function portError(state: Exclude<PortState, 'free'>, port: number, path: string): HubError {
  if (state === 'forbidden') {
    const message = `the operating system does not allow the hub to open port ${port}; choose one above 1023`;
    return fieldError(path, 'privilegedPort', message);
  }
  return new HubError('portOccupied', `port ${port} is occupied`, { params: { port } });
}
