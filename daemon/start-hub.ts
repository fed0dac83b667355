/** Starts the hub on its data folder and stops it. */

import { join, resolve } from 'node:path';
import type { Appliance } from './appliance/appliance.ts';
import { thisMachine } from './appliance/this-machine.ts';
import type { Config } from './config.ts';
import { createDevicePorts } from './devices/device-ports.ts';
import { createAudit } from './features/logs/audit.ts';
import { systemClock } from './features/schedules/clock.ts';
import { createSystemLog } from './features/system-log/collector.ts';
import { followEngineLog } from './features/system-log/engine-log.ts';
import { followJournal, type Journal, noJournal } from './features/system-log/journal.ts';
import { environment, ownUnit } from './features/system-log/journal-unit.ts';
import { openSystemLogStore } from './features/system-log/store.ts';
import { hubActor } from './http/actor.ts';
import { type ComposedHub, composeHub } from './hub.ts';
import { ConfigError } from './lib/config-error.ts';
import { HubError } from './lib/hub-error.ts';
import { installLayout } from './lib/install-layout.ts';
import { type Log, type LogListener, writeToStderr } from './lib/log.ts';
import { unlessNoSpace } from './lib/no-space.ts';
import { createPasswords, passwordCost } from './lib/password.ts';
import { createMediaPort, engineNewsScope, listenersAreKnown, type MediaPort } from './media/port.ts';
import { type OpenNdiPort, openNdiRouter } from './ndi-features.ts';
import { openDataFolder } from './store/data-folder.ts';
import { closeDatabase, type Database } from './store/database.ts';
import { openHubDatabase } from './store/hub-database.ts';
import { createPortsFile, type HubPorts } from './store/ports-file.ts';
import { continueReset, readSetupCode } from './store/reset.ts';
import { sealAddresses } from './store/seal-addresses.ts';
import { openSecrets, type Secrets } from './store/secrets.ts';
import { isStaged } from './store/staged-import.ts';
import { timing } from './timing.ts';

export { ListenError } from './http/listener.ts';
export { DataFolderError } from './store/data-folder.ts';

export interface Hub {
  /** `stop` also ends all streams: a clean stop means off. `restart` leaves them to the hub that starts next. */
  close(reason: string, how: 'stop' | 'restart'): Promise<void>;
  /** The ports that are open, for a restart that must not move the hub. */
  ports(): HubPorts;
}

const systemLogEveryMs = 250;
const now = () => Date.now();

/** For tests. */
interface HubParts {
  /** Creates features beside those of every hub. */
  readonly further?: Parameters<typeof composeHub>[1];
  /** Instead of the process that uses the NDI runtime. */
  readonly openNdiPort?: OpenNdiPort;
  /** In place of the operating system of this machine. */
  readonly appliance?: Appliance;
}

export async function startHub(
  config: Config,
  log: Log,
  logListener: LogListener,
  { further = [], appliance = thisMachine(config), openNdiPort = openNdiRouter }: HubParts = {},
  restart: (reason: string, streams: 'continue' | 'end') => void = () => {},
): Promise<Hub> {
  const own = log.in('hub');
  const undo: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const folder = openDataFolder(config.dataDir, log.in('store'));
    undo.push(folder.release);
    continueReset(folder, log.in('store'));
    const db = openHubDatabase(folder, log.in('store'));
    undo.push(() => closeDatabase(db));
    const systemLog = openSystemLog(config.dataDir, log.in('log'));
    // The engine's messages to the hub are also in the engine's own file, which the log reads.
    logListener.attach((entry) => {
      if (entry.scope !== engineNewsScope) systemLog.add(entry);
    });
    undo.push(() => {
      logListener.attach(undefined);
      systemLog.close();
    });
    const startsEngine = config.engine === 'hub';
    const media = createMediaPort({ dataDir: config.dataDir, ffmpeg: config.ffmpeg, log, startsEngine });
    const secrets = openSecrets(folder.secretsKey);
    sealAddresses(db, secrets, log.in('store'));
    await storeImport(db, secrets, log.in('settings'));
    const foundation = {
      ...{ config, log, db, secrets, media, systemLog },
      passwords: createPasswords(passwordCost),
      sleep: Bun.sleep,
      devicePorts: createDevicePorts,
      scheduleClock: systemClock,
      appliance,
      openNdiPort,
      tlsDir: folder.tls,
      webRoot: installLayout.console,
      setupCode: readSetupCode(config.dataDir),
      restart,
    };
    const hub = composeHub(foundation, further);
    if (config.timeDivisor !== 1) own.warn('waiting times are divided, for tests only', { by: config.timeDivisor });
    await giveFirstPassword(config, hub, own);
    // Expired entries are refused in any case; they stay in the database until it can be written again.
    const sweepAll = () => {
      unlessNoSpace(() => {
        hub.sessions.sweep();
        hub.audit.sweep(db);
      });
    };
    sweepAll();
    const sweep = setInterval(() => {
      sweepAll();
      void hub.web.refreshHttps();
      void hub.link?.refresh();
    }, timing.hub.sweepMs);
    undo.push(() => clearInterval(sweep));
    const portsFile = createPortsFile(config.dataDir, () => ({ ...hub.ports(), console: consoleUrl(hub) }));
    portsFile.remove();
    undo.push(() => portsFile.remove());
    await hub.web.start(hub.settings.web());
    undo.push(hub.close);
    await hub.link?.refresh();
    hub.settings.onMediaChange(() => void hub.link?.refresh());
    hub.channels.applyDesired();
    media.start();
    hub.start();
    portsFile.update();
    undo.push(media.onChange(() => void unlessNoSpace(() => portsFile.update())));
    undo.push(whenListenersAreKnown(media, () => becomeReady(hub, own)));
    if (!hub.users.isSetUp()) logSetupCode(hub, own);
    return {
      ports: hub.ports,
      async close(reason, how) {
        own.info(how === 'stop' ? 'hub stops' : 'hub restarts', { reason });
        hub.setReady(false);
        hub.endStreams(how);
        const ended = how === 'stop' ? media.close(reason) : media.leave(reason);
        await Promise.all([hub.web.close(timing.hub.stopGraceMs), ended]);
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Stores settings that were imported before this start. */
async function storeImport(db: Database, secrets: Secrets, log: Log): Promise<void> {
  if (!isStaged(db)) return;
  const [{ applyStaged }, { ofStartingHub }] = await Promise.all([
    import('./features/settings-file/staged.ts'),
    import('./settings-sections/list.ts'),
  ]);
  applyStaged({ db, secrets, audit: createAudit(now), log, sections: ofStartingHub({ secrets, now }) });
}

/** Returns a function that cancels the wait. */
function whenListenersAreKnown(media: MediaPort, then: () => void): () => void {
  const stop = media.onChange(() => {
    if (!listenersAreKnown(media.status())) return;
    stop();
    then();
  });
  return stop;
}

/** The hub stays ready from now on, because it is useful without its engine as well. */
function becomeReady(hub: ComposedHub, log: Log): void {
  hub.setReady(true);
  const { http, https } = hub.ports();
  log.info('hub is ready', { ms: Math.round(performance.now()), pid: process.pid, http, ...(https && { https }) });
  // The last line of a start, for the user who opens the console.
  log.info(`open the console at ${consoleUrl(hub)}`);
}

/** An address that other machines can use, if the hub has one. */
function consoleUrl({ ports, addresses, settings }: ComposedHub): string {
  const { http, https } = ports();
  const [host = 'localhost'] = addresses();
  const at = host.includes(':') ? `[${host}]` : host;
  // The origin of a URL omits the usual ports.
  return new URL(settings.web().isRedirected && https !== null ? `https://${at}:${https}` : `http://${at}:${http}`)
    .origin;
}

async function giveFirstPassword(config: Config, { users }: ComposedHub, log: Log): Promise<void> {
  if (users.isSetUp() || config.adminPassword === '') return;
  try {
    await users.setUp(hubActor, config.adminPassword);
  } catch (error) {
    throw error instanceof HubError ? new ConfigError(`SIGNALBOX_ADMIN_PASSWORD: ${error.message}`) : error;
  }
  log.info('first start: Admin got the password of SIGNALBOX_ADMIN_PASSWORD');
}

/** At a level that is rarely disabled: without the code, a hub without a screen cannot be set up. */
function logSetupCode(hub: ComposedHub, log: Log): void {
  log.warn(
    `first start: choose the password of Admin at ${new URL(`http://localhost:${hub.ports().http}`).origin} on this machine`,
  );
  log.warn(`or at ${consoleUrl(hub)} from another machine, with this set-up code: ${hub.setupCode}`);
}

function openSystemLog(dataDir: string, log: Log) {
  const folder = resolve(dataDir, 'log');
  const store = openSystemLogStore(join(folder, 'system.sqlite'));
  const engine = followEngineLog(join(folder, 'engine.log'), store.mark(), now);
  // Faults of the log itself are written to the same output as the hub's lines.
  const onFault = (error: unknown) => writeToStderr(`the system log can't be written: ${String(error)}`);
  const journal = openJournal(store.cursor(), log);
  return { store, ...createSystemLog({ store, engine, journal, onFault, everyMs: systemLogEveryMs }) };
}

function openJournal(cursor: string | undefined, log: Log): Journal {
  const unit = ownUnit(environment());
  if (unit === undefined) {
    log.info('the journal is not read: the hub does not run as a systemd service');
    return noJournal;
  }
  const onFault = (reason: string) => log.warn("the journal can't be read", { unit, reason });
  return followJournal({ what: [`--unit=${unit}`], cursor, onFault, firstWaitMs: timing.journal.firstRetryMs });
}
