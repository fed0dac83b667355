/** Selects the role; see --help. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, describeVariables, readConfig, unknownVariables, variables } from './config.ts';
import { forgetVariable } from './lib/forget-variable.ts';
import { HubError } from './lib/hub-error.ts';
import { installLayout } from './lib/install-layout.ts';
import { createLog, createLogListener, type Log, type LogLevel, logLevels, writeToStderr } from './lib/log.ts';
import { foldRepeats } from './lib/log-repeats.ts';
import { isNoSpace } from './lib/no-space.ts';
import { surviveRejections } from './lib/survive-rejections.ts';
import { timing } from './timing.ts';
import { version } from './version.ts';

/** 0 is a clean stop. */
const exitCodes = { fault: 1, badSettings: 2, dataFolder: 3, httpPort: 4 } as const;

const { program } = installLayout;
const help = `Signalbox ${version}

Usage:
  ${program} hub     run the hub in the foreground; SIGTERM or Ctrl-C stops it and every stream
  ${program} media --data-dir DIR [--ffmpeg PROGRAM] [--srt-endpoint PROGRAM]
                             [--udp-endpoint PROGRAM]
                             run the media engine; the hub starts it by itself
  ${program} reset-admin
                             set another password of Admin in the data folder of a hub that is stopped, and end the
                             sessions and access tokens of Admin; asks for it, or reads the first line of the input
  ${program} --help | --version

Settings by environment, all optional:
${describeVariables()}

The data folder is ./var in a source tree. An installed program uses the state folder of its systemd unit, else
/var/lib/signalbox for root and ~/.local/state/signalbox for other users.

Exit codes:
  0  stopped as asked
  1  a fault, see the log
  2  a setting can't be used
  3  the data folder can't be used
  4  the HTTP port can't be opened
`;

process.exit(await main(process.argv.slice(2)));

async function main([role, ...rest]: string[]): Promise<number> {
  try {
    if (role === '--version') return print(`${version}\n`);
    if (role === '--help' || role === 'help') return print(help);
    if (role === 'hub') return await runHub();
    if (role === 'media') return await runMedia(rest);
    if (role === 'reset-admin') return await runResetAdmin();
    process.stderr.write(`${role === undefined ? 'name a role' : `there is no role ${role}`}\n\n${help}`);
    return exitCodes.badSettings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.badSettings;
  }
}

// Each role loads only its own code: the engine has no database, the hub no protocols.
async function runHub(): Promise<number> {
  const config = readConfig(process.env);
  if (config.adminPassword !== '') forgetVariable(variables.adminPassword.name);
  const logListener = createLogListener();
  const plain = createLog(config.logLevel, (line, entry) => {
    writeToStderr(line);
    logListener.add(entry);
  });
  const { log: root, flush } = foldRepeats(plain, {
    windowMs: timing.log.foldMs,
    now: performance.now.bind(performance),
  });
  const log = root.in('hub');
  for (const name of unknownVariables(process.env)) log.warn('unknown environment variable, ignored', { name });
  const stopped = awaitStop(log);
  const { startHub, DataFolderError, ListenError } = await import('./hub.ts');
  try {
    const hub = await startHub(config, root, logListener);
    const reason = await stopped;
    const limit = setTimeout(() => {
      log.error('the hub did not stop in time and is ended');
      process.exit(exitCodes.fault);
    }, timing.hub.stopLimitMs);
    flush();
    await hub.close(reason);
    clearTimeout(limit);
    log.info('hub stopped', { reason });
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) return fail(log, error.message, exitCodes.badSettings);
    if (isNoSpace(error)) return fail(log, noSpaceAtStart(config.dataDir), exitCodes.dataFolder);
    if (error instanceof DataFolderError) return fail(log, error.message, exitCodes.dataFolder);
    if (error instanceof ListenError) return fail(log, `HTTP does not start: ${error.message}`, exitCodes.httpPort);
    return fail(log, error instanceof Error ? (error.stack ?? error.message) : String(error), exitCodes.fault);
  }
}

async function runResetAdmin(): Promise<number> {
  const { dataDir, logLevel } = readConfig(process.env);
  const log = createLog(logLevel).in('reset-admin');
  const { resetAdmin } = await import('./reset-admin.ts');
  const { DataFolderError } = await import('./store/data-folder.ts');
  try {
    await resetAdmin(dataDir, log);
    log.warn('Admin has another password; sessions and access tokens of Admin have ended', { dataDir });
    return 0;
  } catch (error) {
    if (isNoSpace(error)) return fail(log, noSpaceAtStart(dataDir), exitCodes.dataFolder);
    if (error instanceof DataFolderError) return fail(log, error.message, exitCodes.dataFolder);
    if (error instanceof HubError) return fail(log, error.message, exitCodes.badSettings);
    throw error;
  }
}

async function runMedia(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      'data-dir': { type: 'string' },
      ffmpeg: { type: 'string', default: 'ffmpeg' },
      'srt-endpoint': { type: 'string', default: installLayout.srtEndpoint },
      'udp-endpoint': { type: 'string', default: installLayout.udpEndpoint },
    },
  });
  const dataDir = values['data-dir'];
  if (dataDir === undefined) throw new ConfigError('media needs --data-dir');
  const level: LogLevel = logLevels.find((name) => name === process.env.SIGNALBOX_LOG) ?? 'info';
  const { runEngine } = await import('./engine/engine.ts');
  return runEngine({
    dataDir: resolve(dataDir),
    ffmpeg: values.ffmpeg,
    srtEndpoint: values['srt-endpoint'],
    udpEndpoint: values['udp-endpoint'],
    logLevel: level,
  });
}

/** Resolves with the signal that asks the hub to stop; a later second one ends it immediately. */
function awaitStop(log: Log): Promise<string> {
  const { promise, resolve: stop } = Promise.withResolvers<string>();
  let askedAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        stop(signal);
      } else if (performance.now() - askedAt > timing.hub.sameSignalMs) {
        process.exit(fail(log, `ended at once by a second ${signal}`, exitCodes.fault));
      }
    });
  }
  surviveRejections(log);
  // The engine keeps running: the next hub adopts it without interrupting the streams.
  process.on('uncaughtException', (error) => {
    process.exit(fail(log, `the hub crashed: ${error.stack ?? error.message}`, exitCodes.fault));
  });
  return promise;
}

function noSpaceAtStart(dataDir: string): string {
  const remedy = 'make room on its disk, or choose another folder with SIGNALBOX_DATA_DIR';
  return `no space is left on the data folder ${dataDir} (ENOSPC); ${remedy}`;
}

function fail(log: Log, message: string, code: number): number {
  log.error(message, { 'exit-code': code });
  return code;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
