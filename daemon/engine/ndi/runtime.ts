/**
 * Receives and sends NDI sources: a process that loads the library exchanges raw frames with FFmpeg through a pipe. If
 * either process ends, the other one is ended, too, and the connection starts both again.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ndiTransports } from '../../contract/ndi.ts';
import { connectionStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { EngineSettings } from '../../media/protocol/desired.ts';
import { type NdiRole, ndiCommand, ndiEnvironment } from '../../ndi/child-command.ts';
import type { ChildMessage } from '../../ndi/messages.ts';
import { type LoadFault, NdiProcess, type NdiProcessOptions } from '../../ndi/ndi-process.ts';
import { type NdiTransfer, writeRuntimeConfig } from '../../ndi/runtime-config.ts';
import { markProcess } from '../../process/process-mark.ts';
import { watchSilence } from '../../process/silence.ts';
import type { NdiStream } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import { type FetchFailure, failure } from '../connection/fetch-failure.ts';
import { decoderCommand, encoderCommand } from './codec.ts';
import { type FfmpegEnds, startFfmpeg } from './ffmpeg.ts';
import type { NdiLoaded, NdiReceiving, NdiRuntime, NdiSender, NdiSending } from './port.ts';

export interface RuntimeOptions {
  /** Path of the library. */
  readonly path: string;
  /** Contains a folder with the configuration of each process. */
  readonly folder: string;
  readonly ffmpeg: () => string | undefined;
  readonly log: Log;
  /** Settings of sources and targets that have none of their own. */
  readonly defaults: () => EngineSettings['ndi'];
  /** Called each time a process has loaded the library, or failed to. */
  readonly onLoaded: (loaded: NdiLoaded) => void;
}

/** Limit of the bytes that FFmpeg has not read yet: two seconds at 16 Mbit/s. */
const maxUnreadBytes = 4 << 20;

const hangs = (text: string) => failure(connectionStates.streamFailed, 'internal', `FFmpeg hangs: ${text}`);

type EndCause = Extract<ChildMessage, { type: 'ended' }>['cause'];
const endings: Readonly<Record<EndCause, () => FetchFailure>> = {
  formatChanged: () => failure(connectionStates.disconnected, 'closedByPeer', 'the NDI source has changed its format'),
  nameTaken: () => failure(connectionStates.creationFailed, 'addressInUse', 'another NDI source has this name'),
  notSupported: () =>
    failure(connectionStates.creationFailed, 'partMissing', 'the NDI runtime lacks functions for frames', {
      permanent: true,
    }),
  notRead: () => hangs('it reads no more frames'),
  badStream: () => failure(connectionStates.streamFailed, 'internal', 'FFmpeg did not send raw frames'),
};

/** Of the processes that this engine has started, with any runtime. */
let count = 0;
const homeOf = (folder: string, role: NdiRole) => join(folder, `${role}-${process.pid}-${++count}`);

/** Removes the folders of engines that were killed; one that is still ending needs its own. */
function removeLeftHomes(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const engine = Number(/-(\d+)-\d+$/.exec(name)?.[1]);
    if (!markProcess(engine)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function createNdiRuntime({ path, folder, ffmpeg, log, defaults, onLoaded }: RuntimeOptions): NdiRuntime {
  removeLeftHomes(folder);

  /** Starts a process with its end of the pipe. Ends the run when the process does. */
  function startProcess(run: Run, role: NdiRole, source: NdiStream, how: ProcessOptions): void {
    if (run.isOver) return;
    const home = homeOf(folder, role);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeRuntimeConfig(home, settingsOf(source, defaults()));
    const { args, onGreeted, onMessage, ...descriptors } = how;
    const child = new NdiProcess({
      command: ndiCommand(role, path, home, args),
      environment: ndiEnvironment(home),
      startMs: timing.ndi.startMs,
      log,
      ...descriptors,
      onMessage(message) {
        // Its last messages may arrive after the descriptors of the pipe were closed.
        if (run.isOver) return;
        if (message.type === 'ended') run.fail(endings[message.cause]());
        else onMessage(message);
      },
    });
    const stopWatching = watchSilence(child, {
      checkMs: timing.ndi.silenceCheckMs,
      onHung: () => child.kill('hung'),
    });
    run.finally(() => {
      stopWatching();
      child.kill('is no longer needed');
      void child.closed.then(() => rmSync(home, { recursive: true, force: true }));
    });
    void child.greeting.then((first) => {
      if (typeof first === 'string') return;
      onLoaded(first.type === 'hello' ? { version: first.version } : { fault: faultText(first) });
      if (first.type === 'fault') run.fail(notLoaded(first));
      else if (!run.isOver) onGreeted?.();
    });
    void child.closed.then((reason) =>
      run.fail(failure(connectionStates.disconnected, 'internal', `the process of the NDI runtime ${reason}`)),
    );
  }

  function startCodec(run: Run, command: readonly string[], ends: FfmpegEnds) {
    const codec = startFfmpeg(command, ends);
    run.finally(() => codec.kill());
    void codec.ended.then((text) => run.fail(failure(connectionStates.streamFailed, 'internal', text)));
    return codec;
  }

  async function openPipe(run: Run) {
    // Only an engine that uses NDI loads `bun:ffi`.
    const { closePipe, openPipe: open } = await import('../../../native/ndi/pipe.ts');
    const pipe = open();
    run.finally(() => closePipe(pipe));
    return pipe;
  }

  /** Throws without FFmpeg. */
  function ffmpegPath(): string {
    const found = ffmpeg();
    if (found !== undefined) return found;
    throw failure(connectionStates.creationFailed, 'partMissing', 'FFmpeg, which encodes and decodes NDI, is missing');
  }

  return {
    async receive({ source, signal, onConnected, onBytes }: NdiReceiving): Promise<void> {
      const binary = ffmpegPath();
      const run = new Run();
      if (signal.aborted) run.end();
      signal.addEventListener('abort', () => run.end(), { once: true });
      let isEncoding = false;
      await run.until(async () => {
        const pipe = await openPipe(run);
        startProcess(run, 'ndi-input', source, {
          args: [`--source=${source.name}`, ...(source.lowBandwidth ? ['--low-bandwidth'] : [])],
          stdout: pipe.write,
          // Until the source is found, it is an input without data.
          onGreeted: onConnected,
          onMessage(message) {
            if (message.type !== 'receiving' || isEncoding) return;
            isEncoding = true;
            run.attempt(() =>
              startCodec(run, encoderCommand(binary, message), { stdin: pipe.read, onOutput: onBytes }),
            );
          },
        });
      });
    },
    send({ target, onConnected, onFailed }: NdiSending): NdiSender {
      const run = new Run();
      let codec: ReturnType<typeof startFfmpeg> | undefined;
      const begin = async () => {
        const binary = ffmpegPath();
        const pipe = await openPipe(run);
        startProcess(run, 'ndi-output', target, {
          args: [`--name=${target.name}`, `--groups=${target.groups}`],
          stdin: pipe.read,
          onMessage(message) {
            if (message.type !== 'sending' || codec) return;
            run.attempt(() => {
              const decoder = startCodec(run, decoderCommand(binary), { stdout: pipe.write });
              codec = decoder;
              const onHung = () => run.fail(hangs('it reads no more of the stream'));
              run.finally(watchSilence(decoder, { checkMs: timing.ndi.silenceCheckMs, onHung }));
              onConnected();
            });
          },
        });
      };
      run.until(begin).catch(onFailed);
      return {
        write: (bytes) => codec !== undefined && codec.unread() < maxUnreadBytes && codec.write(bytes),
        close: () => run.end(),
      };
    },
  };
}

interface ProcessOptions extends Pick<NdiProcessOptions, 'stdin' | 'stdout' | 'onMessage'> {
  readonly args: readonly string[];
  readonly onGreeted?: () => void;
}

/** One reception or transmission. When it fails or is ended, it releases its resources. */
class Run {
  readonly #over = Promise.withResolvers<void>();
  readonly #releases: (() => void)[] = [];
  isOver = false;

  fail(error: unknown): void {
    this.#finish();
    this.#over.reject(error);
  }

  end(): void {
    this.#finish();
    this.#over.resolve();
  }

  /** Calls `release` when the run is over; at once if it already is. */
  finally(release: () => void): void {
    if (this.isOver) release();
    else this.#releases.push(release);
  }

  attempt(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Resolves when the run is ended; rejects when it fails. */
  until(begin: () => Promise<void>): Promise<void> {
    begin().catch((error: unknown) => this.fail(error));
    return this.#over.promise;
  }

  #finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const release of this.#releases.splice(0).reverse()) release();
  }
}

const faultText = ({ fault, detail }: LoadFault) => `${fault} ${detail}`.trim();

function notLoaded(loaded: LoadFault): FetchFailure {
  const text = `the NDI runtime can't be used: ${faultText(loaded)}`;
  return failure(connectionStates.creationFailed, 'partMissing', text, { permanent: true });
}

function settingsOf(
  { groups, extraIps, discovery, transport, multicast }: NdiStream,
  hub: EngineSettings['ndi'] = { servers: '', extraIps: '', sendGroups: '', receiveGroups: '' },
) {
  const transfer = transferOf(transport, multicast);
  return {
    baseName: '',
    groups: { send: groups || hub.sendGroups, receive: groups || hub.receiveGroups },
    discovery: { servers: discovery || hub.servers, extraIps: extraIps || hub.extraIps },
    ...(transfer && { transfer }),
  };
}

function transferOf(
  transport: NdiStream['transport'],
  multicast: NdiStream['multicast'] = { group: '', mask: '', ttl: 1 },
): NdiTransfer | undefined {
  switch (transport) {
    case undefined:
      return undefined;
    case ndiTransports.unicast:
      return { by: 'unicast' };
    case ndiTransports.multicast:
      return { by: 'multicast', ...multicast };
    case ndiTransports.reliableUdp:
      return { by: 'reliableUdp' };
    case ndiTransports.multiTcp:
      return { by: 'multiTcp' };
  }
}
