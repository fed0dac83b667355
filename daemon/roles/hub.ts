/** Runs the hub in the foreground. */
import { type Config, describeVariables, readConfig, unknownVariables, variables } from '../config.ts';
import { ConfigError } from '../lib/config-error.ts';
import { forgetVariable } from '../lib/forget-variable.ts';
import { createLog, createLogListener, type Log, writeToStderr } from '../lib/log.ts';
import { foldRepeats } from '../lib/log-repeats.ts';
import { isNoSpace } from '../lib/no-space.ts';
import { surviveRejections } from '../lib/survive-rejections.ts';
import type { startHub as Start } from '../start-hub.ts';
import type { HubPorts } from '../store/ports-file.ts';
import { timing } from '../timing.ts';
import { exitCodes, fail, noSpaceAtStart, type Role } from './role.ts';

export const role: Role = {
  help: `SIGTERM or Ctrl-C stops it and every stream.

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
`,
  run: () => runHub(),
};

/** `parts` replace or complete what every hub has. */
export async function runHub(parts: Parameters<typeof Start>[3] = {}): Promise<number> {
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
  const { startHub, DataFolderError, ListenError } = await import('../start-hub.ts');
  try {
    for (let current = config; ; ) {
      const restarted = Promise.withResolvers<Restart>();
      const hub = await startHub(current, root, logListener, parts, (reason, streams) =>
        restarted.resolve({ reason, how: streams === 'end' ? 'stop' : 'restart' }),
      );
      const restart = await Promise.race([stopped, restarted.promise]);
      const limit = setTimeout(() => {
        log.error('the hub did not stop in time and is ended');
        process.exit(exitCodes.fault);
      }, timing.hub.stopLimitMs);
      flush();
      const ports = hub.ports();
      const { reason, how } = typeof restart === 'string' ? { reason: restart, how: 'stop' as const } : restart;
      await hub.close(reason, how);
      clearTimeout(limit);
      log.info('hub stopped', { reason });
      if (typeof restart === 'string') return 0;
      current = withPorts(current, ports);
    }
  } catch (error) {
    if (error instanceof ConfigError) return fail(log, error.message, exitCodes.badSettings);
    if (isNoSpace(error)) return fail(log, noSpaceAtStart(config.dataDir), exitCodes.dataFolder);
    if (error instanceof DataFolderError) return fail(log, error.message, exitCodes.dataFolder);
    if (error instanceof ListenError) return fail(log, `HTTP does not start: ${error.message}`, exitCodes.httpPort);
    return fail(log, error instanceof Error ? (error.stack ?? error.message) : String(error), exitCodes.fault);
  }
}

/** Asked for by the hub itself; `how` it is closed before the next one starts. */
interface Restart {
  readonly reason: string;
  readonly how: 'stop' | 'restart';
}

/** Where the environment asks for any free port, a restart must not move the hub. */
function withPorts(config: Config, open: HubPorts): Config {
  return {
    ...config,
    ...{ httpPort: config.httpPort || open.http, rtmpPort: config.rtmpPort || open.rtmp },
    ...{ srtPort: config.srtPort || open.srt, hlsPort: config.hlsPort || open.hls },
    httpsPort: config.httpsPort === 0 ? open.https : config.httpsPort,
    linkPort: config.linkPort || (open.link ?? 0),
  };
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
