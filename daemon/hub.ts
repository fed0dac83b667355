/** The parts of the hub: created in order, closed in reverse. `start-hub.ts` runs them on a data folder. */

import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Appliance } from './appliance/appliance.ts';
import { applianceFeatures } from './appliance-features.ts';
import type { Config } from './config.ts';
import { calls } from './contract/calls.ts';
import { heartbeatMs } from './contract/events.ts';
import { meets } from './contract/variant.ts';
import type { DevicePorts, DevicePortsOptions } from './devices/ports.ts';
import type { Common } from './feature-parts.ts';
import { createAlarmFeature } from './features/alarms/feature.ts';
import { createAuthenticator } from './features/auth/authenticator.ts';
import { createAuthService } from './features/auth/service.ts';
import { createSessions } from './features/auth/sessions.ts';
import { createSetupCode } from './features/auth/setup-code.ts';
import { createChannelFeature } from './features/channels/feature.ts';
import { createDeviceConsoleFeature } from './features/device-console/feature.ts';
import { createDeviceFeature } from './features/devices/feature.ts';
import { createFirmwareFeature } from './features/firmware/feature.ts';
import { createForwardFeature } from './features/forwards/feature.ts';
import { createInputFeature } from './features/inputs/feature.ts';
import { createLicense } from './features/license/license.ts';
import { createAudit } from './features/logs/audit.ts';
import { operationExportRoute, operationsCsv } from './features/logs/export.ts';
import { createOutputFeature } from './features/outputs/feature.ts';
import { powerFeature } from './features/power/feature.ts';
import { createPowerService } from './features/power/service.ts';
import { createPresetFeature } from './features/presets/feature.ts';
import { createPreviewFeature } from './features/preview/feature.ts';
import { createRunHistory } from './features/run-history/feature.ts';
import type { ScheduleClock } from './features/schedules/clock.ts';
import { createScheduleFeature } from './features/schedules/feature.ts';
import { createServerFeature } from './features/servers/feature.ts';
import { createSettingsService, type SettingsService } from './features/settings/service.ts';
import { createSettingsFileFeature } from './features/settings-file/feature.ts';
import { createSupportFeature } from './features/support/feature.ts';
import { createSystemFeature } from './features/system/feature.ts';
import { hardwareVersion } from './features/system/hardware.ts';
import { thisMachine } from './features/system/load.ts';
import { systemLogFeature, systemLogText } from './features/system-log/feature.ts';
import type { SystemLogStore } from './features/system-log/store.ts';
import { taskFeature } from './features/tasks/feature.ts';
import { createTaskService } from './features/tasks/service.ts';
import { createTokenService } from './features/tokens/service.ts';
import { createUpgradeFeature } from './features/upgrades/feature.ts';
import { uploadFeature } from './features/uploads/feature.ts';
import { createUploadService } from './features/uploads/service.ts';
import { createGroupService } from './features/users/groups.ts';
import { createUserService } from './features/users/service.ts';
import { createObjectAccess } from './features/visibility/service.ts';
import { type App, createApp } from './http/app.ts';
import { openCertificateStore } from './http/certificate.ts';
import { certificateNames } from './http/certificate-names.ts';
import { openCertificateUploads } from './http/certificate-uploads.ts';
import { createEvents } from './http/events.ts';
import type { Feature } from './http/feature.ts';
import { healthRoute } from './http/health.ts';
import { createLinkListener } from './http/link-listener.ts';
import { metricsRoute } from './http/metrics.ts';
import { openApiRoute } from './http/openapi.ts';
import type { PlainRoute } from './http/plain-route.ts';
import { createCurrentSession } from './http/principal.ts';
import { lazyRoutes } from './http/route.ts';
import { createStaticFiles } from './http/static-files.ts';
import type { Topic } from './http/topic.ts';
import { createWebServer } from './http/web-server.ts';
import { addressRanges } from './lib/address-ranges.ts';
import { createStepWatch } from './lib/clock-steps.ts';
import type { Log } from './lib/log.ts';
import { reachableAddresses } from './lib/own-addresses.ts';
import type { Passwords } from './lib/password.ts';
import { probePort } from './lib/port-probe.ts';
import { socketPath } from './lib/socket-path.ts';
import { mediaRates } from './media/media-rates.ts';
import type { MediaPort } from './media/port.ts';
import type { EngineSettings } from './media/protocol/desired.ts';
import { ndiFeatures, type OpenNdiPort } from './ndi-features.ts';
import type { Database } from './store/database.ts';
import { createFolderSpace } from './store/folder-space.ts';
import type { Secrets } from './store/secrets.ts';
import { timing } from './timing.ts';

/** Dependencies of the hub; tests supply a database in memory and their own engine. */
export interface Foundation {
  readonly config: Config;
  readonly log: Log;
  readonly db: Database;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly media: MediaPort;
  /** How the hub reaches devices. */
  readonly devicePorts: (options: DevicePortsOptions) => DevicePorts;
  readonly scheduleClock: ScheduleClock;
  /** The operating system, as far as the hub sets it. */
  readonly appliance: Appliance;
  readonly openNdiPort: OpenNdiPort;
  /** Delays attempts to guess passwords. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly systemLog: { readonly store: SystemLogStore; readonly topic: Topic };
  /** Folder of certificate and key. */
  readonly tlsDir: string;
  /** Folder of the built console. */
  readonly webRoot: string;
  /** For the first password; undefined: a new one. */
  readonly setupCode?: string | undefined;
  /** Starts the hub again within this process, and stores what waits for a start. */
  readonly restart: (reason: string, streams: 'continue' | 'end') => void;
}

/** Of the lines of the system log about devices, which the log of a device reads. */
const deviceScope = 'devices';
/** A call that changes something waits at most this long for the engine to apply the change. */
const settleMs = 1000;
const now = () => Date.now();

export type ComposedHub = ReturnType<typeof composeHub>;

/** Every part of the hub, wired but not started. `further` creates features that come last. */
export function composeHub(base: Foundation, further: readonly ((common: Common) => Feature)[] = []) {
  const { config, log, db, secrets, passwords, media } = base;
  let isReady = false;
  const space = createFolderSpace(config.dataDir);
  const audit = createAudit(now);
  const license = createLicense({
    ...{ channels: config.licenseChannels, outputs: config.licenseOutputs },
    ...{ srt: config.licenseSrt, devices: config.licenseDevices },
  });
  const certificates = openCertificateStore({
    ...{ dir: base.tlsDir, now, log: log.in('http') },
    names: () => certificateNames(config.hosts),
    mustKeep: () => settings.web().hsts === 'on',
  });
  const web = createWebServer({
    host: config.bind,
    certificates,
    trustedProxies: addressRanges(config.trustedProxies),
    answer: (request, connection) => app.fetch(request, connection),
    log: log.in('http'),
  });
  const hlsPort = () => config.hlsPort || media.ports().hls;
  const settings = createSettingsService({
    ...{ db, secrets, audit, now, features: config.features },
    initial: {
      ...{ rtmpPort: config.rtmpPort, srtPort: config.srtPort },
      ...{ httpPort: config.httpPort, httpsPort: config.httpsPort },
      reservedPorts: [config.linkPort, ...config.consolePorts],
    },
    openPorts: () => ({ ...media.ports(), ...web.ports(), hls: hlsPort() }),
    web: { ...web, certificates, uploads: openCertificateUploads(resolve(base.tlsDir, 'uploads')) },
    probe: (kind, port) => probePort(kind, config.bind, port),
    log: log.in('settings'),
  });
  const ports = () => ({
    ...{ rtmp: settings.rtmp().port, srt: settings.srt().port, hls: hlsPort(), ...web.ports() },
    link: meets(variant, 'devices') ? link.port() : null,
  });
  const addresses = () => reachableAddresses(config.bind, config.hosts);
  /** A page of the console for people elsewhere; undefined if only this machine reaches it. */
  const consoleUrl = (page: string): string | undefined => {
    const [address] = addresses();
    if (address === undefined) return undefined;
    const { http, https } = web.ports();
    const host = isIPv6(address) ? `[${address}]` : address;
    return new URL(`#/${page}`, https === null ? `http://${host}:${http}` : `https://${host}:${https}`).href;
  };
  const sessions = createSessions({ db, now, stepped: createStepWatch(now), expiryMinutes: settings.expiryMinutes });
  const variant = { isHardware: config.variant === 'hardware', features: config.features };
  const tokens = createTokenService({ db, audit, now });
  const authenticator = createAuthenticator(sessions, tokens);
  const currentSession = createCurrentSession({
    findUser: (id) => users.find(id),
    tokenSession: (id) => tokens.current(`token:${id}`),
  });
  const { passwordRule, allowsMd5 } = settings;
  const access = createObjectAccess();
  const tasks = createTaskService({ db, audit, access, currentSession, now, log: log.in('tasks') });
  const uploads = createUploadService({
    ...{ folder: resolve(config.dataDir, 'uploads'), tasks, log: log.in('uploads') },
    ...{ freeBytes: () => space.look().freeBytes, times: timing.uploads },
  });
  const rights = {
    endSessions: sessions.endAll,
    onRights: () => {
      devices.refreshIfForgotten();
      forwards.recheck();
      schedules.refreshIfForgotten();
      events.recheck();
    },
  };
  const users = createUserService({
    ...{ db, audit, passwords, secrets, passwordRule, allowsMd5, now, ...rights },
    onDeleted(tx, userId) {
      tasks.disown(tx, userId);
      schedules.forget(tx, userId);
      devices.forget(tx, { userId });
      forwards.disown(tx, userId);
    },
  });
  const groups = createGroupService({
    ...{ db, audit, ...rights },
    onDeleted: (tx, groupId) => devices.forget(tx, { groupId }),
  });
  const setupCode = createSetupCode(base.setupCode);
  const auth = createAuthService({
    ...{ db, audit, users, passwords, secrets, sessions, setupCode, now, log: log.in('auth') },
    ...{ elapsed: () => performance.now(), sleep: base.sleep },
    allowsMd5,
    endTokens: tokens.endAll,
  });
  const channels = createChannelFeature({
    ...{ db, secrets, audit, license, now, media },
    engineSettings: () => engineSettings(config, settings),
    since: (...part) => runHistory.since(...part),
    publishDevice: (...part) => devices.publish(...part),
    copyAlarmRules: (...of) => alarms.copyRules(...of),
    slatesDir: resolve(config.dataDir, 'slates'),
  });
  settings.onMediaChange(channels.applyDesired);
  const link = createLinkListener({
    ...{ host: config.bind, port: config.linkPort, certificates, trustedProxies: addressRanges(config.trustedProxies) },
    ...{ keyDir: base.tlsDir, sealing: secrets, isSecure: () => settings.web().isHttpsEnabled, log: log.in('link') },
    accept: (claim, remote) => devices.admit(claim, remote),
    fleetSize: () => devices.size(),
    socketPath: (name) => socketPath(config.dataDir, name),
    onChange: (sn) => devices.relink(sn),
  });
  const devices = createDeviceFeature({
    ...{ db, secrets, audit, license, access, now, log: log.in(deviceScope), channels, users: users.stored, tasks },
    linesAbout: (query) => base.systemLog.store.ofPeer({ scope: deviceScope, ...query }),
    isOn: meets(variant, 'devices'),
    ports: base.devicePorts({
      ...{
        outgoing: settings.outgoingToDevices,
        agentSocket: link.socketOf,
        agentPort: link.openPort,
        log: log.in('devices'),
      },
      streams: channels.sources,
    }),
    ...{ invitationCode: settings.invitationCode, setLinkState: link.setState },
    upgradeOf: (sn) => upgrades.of(sn),
    listeners: { addresses, ports, srt: settings.srt },
  });
  const firmware = createFirmwareFeature({
    ...{ db, audit, uploads, now, log: log.in('firmware'), dataDir: config.dataDir, products: devices.products },
    freeBytes: () => space.look().freeBytes,
  });
  const forwards = createForwardFeature({
    ...{ db, audit, now, devices, findUser: users.find, isOn: meets(variant, 'devices'), timing: timing.forwards },
    ...{ currentSession, onTokenEnd: tokens.onEnd, log: log.in('forwards') },
    ownPorts: () => [...settings.ownPorts(), ...Object.values(ports()).filter(Boolean)] as number[],
  });
  const deviceConsole = createDeviceConsoleFeature({
    ...{ db, audit, now, log: log.in('device-console'), host: config.bind, ports: config.consolePorts },
    certificate: async () => (settings.web().isHttpsEnabled ? await certificates.load() : null),
    ...{ current: authenticator.current, onSessionEnd: authenticator.onEnd, language: settings.language },
    isOwnToken: (bearer) => authenticator.identify({ cookie: undefined, bearer, ip: '', isUse: false }) !== null,
    ...{ refusal: devices.webRefusal, openDevice: devices.openWeb, problemOf: devices.problemOf },
    hubOrigin(hostname) {
      const { http, https } = web.ports();
      return https === null ? `http://${hostname}:${http}` : `https://${hostname}:${https}`;
    },
  });
  const upgrades = createUpgradeFeature({
    ...{ db, audit, access, tasks, firmware, now, devices: devices.forUpgrades },
    rate: settings.upgradeRate,
  });
  const schedules = createScheduleFeature({
    ...{ db, audit, access, currentSession, devices: devices.scheduled, log: log.in('schedules') },
    onTokenEnd: tokens.onEnd,
    isOn: meets(variant, 'devices'),
    clock: base.scheduleClock,
  });
  const runHistory = createRunHistory({
    ...{ db, now, log: log.in('run-history'), media: media.status },
    ...{ channels: channels.runViews, switchedBy: channels.switchedBy, onChange: channels.onChange },
  });
  const alarms = createAlarmFeature({
    ...{ db, secrets, audit, now, log: log.in('alarms') },
    uptime: () => performance.now(),
    media: media.status,
    channels: channels.configured,
    devices: devices.watched,
    ...{ canSeeDevice: devices.canSee, deviceName: devices.nameFor },
    space: space.look,
    outgoing: () => settings.outgoing().webhook,
    hubName: settings.hubName,
    mail: {
      server: settings.mail,
      text: () => ({
        ...{ language: settings.language(), hubName: settings.hubName() },
        consoleUrl: consoleUrl('alarms'),
      }),
      onChange: settings.onMailChange,
    },
  });
  const sources = {
    db,
    secrets,
    audit,
    license,
    now,
    applyDesired: channels.applyDesired,
    ownPorts: settings.ownPorts,
  };
  const inputs = createInputFeature({ ...sources, testSource: channels.sources.test });
  const outputs = createOutputFeature(sources);
  const adders = { addInput: inputs.addAddress, addOutput: outputs.addAddress };
  const files = createStaticFiles(base.webRoot);
  const power = createPowerService({
    ...{ db, audit, config, restart: base.restart, openPorts: web.ports },
    makeSetupCode: () => createSetupCode().text,
    machine: variant.isHardware ? base.appliance.power : undefined,
    runningUpgrades: () =>
      tasks.all().filter(({ kind, state }) => kind === 'device.upgrade' && state === 'running').length,
  });
  const system = createSystemFeature(
    {
      dataDir: config.dataDir,
      ffmpeg: config.ffmpeg,
      startsEngine: config.engine === 'hub',
      machine: thisMachine(config.dataDir),
      log: log.in('system'),
      media: media.status,
      mediaRates: () => mediaRates(media.status()),
      totals: channels.totals,
      ports,
      addresses,
      webFaults: () => [...web.faults(), ...link.faults()],
      expiryMinutes: settings.expiryMinutes,
      hubName: settings.hubName,
      features: config.features,
      hardwareVersion: variant.isHardware ? hardwareVersion() : undefined,
      deviceLimit: () => license.limits().devices,
      passwordRule,
      buildId: files.buildId,
      ...{ flags: power.flags, onFlags: power.onChange },
    },
    { db, audit, media },
    devices,
  );
  const common = { db, audit, tasks, uploads, settings, access, dataDir: config.dataDir };
  const added = further.map((create) => create(common));
  const ofNdi = ndiFeatures(common, { variant, now, log: log.in('ndi'), openPort: base.openNdiPort });
  const settingsFile = createSettingsFileFeature({
    ...{ db, secrets, audit, now, license, settings, power, hubName: settings.hubName, log: log.in('settings') },
    ...{ limitGuesses: auth.limitGuesses, system: () => ofAppliance.system },
    sections: async () => (await import('./settings-sections/list.ts')).ofRunningHub({ secrets, now }, settings),
  });
  const ofAppliance = applianceFeatures(common, {
    ...{ appliance: base.appliance, isOn: variant.isHardware, now, secrets, importPart: settingsFile.part },
    log: log.in('appliance'),
    listeners: () => ({
      ...{ ports: ports(), devicePages: config.consolePorts, channels: channels.configured() },
      ...{ panels: ofNdi.router.listening(), ndiServer: ofNdi.discoveryServer.listening() },
      forwards: forwards.listening(),
    }),
    signIn: async (http, userId) => (await import('./features/auth/give-session.ts')).giveSession(auth, http, userId),
  });
  const features: readonly Feature[] = [
    {
      routes: [
        lazyRoutes(calls.auth, async () =>
          (await import('./features/auth/routes.ts')).authRoutes({
            ...{ auth, users, variant, language: settings.language, hubName: settings.hubName },
          }),
        ),
        lazyRoutes(calls.sessions, async () => (await import('./features/auth/session-routes.ts')).sessionRoutes(auth)),
        lazyRoutes(calls.users, async () => [
          ...(await import('./features/users/routes.ts')).userRoutes(users, groups),
          ...(await import('./features/auth/own-user-routes.ts')).ownUserRoutes(auth),
        ]),
        lazyRoutes(calls.tokens, async () => (await import('./features/tokens/routes.ts')).tokenRoutes(tokens, auth)),
        lazyRoutes(calls.logs, async () => (await import('./features/logs/routes.ts')).logRoutes(db)),
        lazyRoutes(calls.settings, async () =>
          (await import('./features/settings/routes.ts')).settingsRoutes(settings),
        ),
        lazyRoutes(calls.certificates, async () =>
          (await import('./features/settings/routes.ts')).certificateRoutes(settings),
        ),
      ],
      plainRoutes: [operationExportRoute(db)],
      close: settings.close,
    },
    system,
    systemLogFeature(base.systemLog),
    channels,
    alarms,
    runHistory,
    inputs,
    outputs,
    devices,
    schedules,
    firmware,
    forwards,
    deviceConsole,
    upgrades,
    createSupportFeature({
      ...{ db, audit, now, media: media.status, system: system.status },
      systemLog: (from) => systemLogText(base.systemLog.store, { from }),
      operations: (from) => operationsCsv(db, { from }),
      settings: () => settings.shown(false),
      health: () => ({ ready: isReady, full: space.current().isFull }),
    }),
    powerFeature(power),
    settingsFile,
    createPresetFeature({ db, secrets, audit, now, ...adders }),
    createServerFeature({ db, secrets, audit, now, ...adders }),
    ...ofAppliance.features,
    ...ofNdi.features,
    ...added,
    // Last: the features before it have registered what they resume.
    taskFeature(tasks, access),
    // Removes the files that no task continues.
    uploadFeature(uploads),
  ];
  const events = createEvents({
    topics: features.flatMap(({ topics = [] }) => topics),
    sessions: authenticator,
    heartbeatMs,
    log: log.in('events'),
  });
  const preview = createPreviewFeature({
    sources: features.flatMap(({ pictures = [] }) => pictures),
    ...{ sessions: authenticator, now: () => performance.now(), sleep: base.sleep },
    socketPath: socketPath(config.dataDir, 'preview'),
  });
  const routes = [...features.flatMap((feature) => feature.routes ?? []), ...preview.routes];
  const bodyRoutes = features.flatMap((feature) => feature.bodyRoutes ?? []);
  const prefixRoutes = features.flatMap((feature) => feature.prefixRoutes ?? []);
  const plainRoutes: PlainRoute[] = [
    healthRoute({ isReady: () => isReady, isFull: () => space.current().isFull }),
    metricsRoute([events.metrics, ...features.flatMap(({ metrics }) => metrics ?? [])]),
    openApiRoute,
    events.route,
    ...preview.plainRoutes,
    ...features.flatMap((feature) => feature.plainRoutes ?? []),
  ];
  const gate = { isSetUp: users.isSetUp, identify: authenticator.identify, whyEnded: authenticator.whyEnded };
  const app: App = createApp({
    log: log.in('http'),
    gate,
    variant,
    access,
    hosts: config.hosts,
    // If HTTPS is not running, HTTP must stay available.
    onlyHttpsPort: () => (settings.web().isRedirected ? web.ports().https : null),
    hsts: () => settings.web().hsts,
    routes,
    plainRoutes,
    bodyRoutes,
    prefixRoutes,
    settled: () => media.settled(settleMs),
    files: files.respond,
  });
  return {
    ...{ app, routes, plainRoutes, bodyRoutes, prefixRoutes, users },
    ...{ setupCode: setupCode.text, sessions, authenticator, audit, settings },
    ...{ channels, devices, schedules, ndi: ofNdi, system, ports, addresses, events, web },
    /** Undefined on a hub that manages no devices. */
    link: meets(variant, 'devices') ? link : undefined,
    start(): void {
      for (const { start } of features) start?.();
    },
    /** Ends the responses that would keep the web server from closing. */
    endStreams(how: 'stop' | 'restart'): void {
      events.close({ streams: how === 'stop' && config.engine === 'hub' ? 'end' : 'continue' });
      preview.close();
    },
    async close(): Promise<void> {
      await link.close();
      for (const { close } of features.toReversed()) await close?.();
    },
    setReady(ready: boolean) {
      isReady = ready;
    },
  };
}

function engineSettings({ bind, hlsPort, trustedProxies }: Config, settings: SettingsService): EngineSettings {
  const { port, latencyMs, keyLength, passphrase } = settings.srt();
  return {
    ...{ bind, rtmpPort: settings.rtmp().port, hlsPort, trustedProxies },
    srt: { port, latencyMs, keyLength, passphrase },
    outgoing: settings.outgoing().media,
    ndi: settings.ndiDiscovery(),
  };
}
