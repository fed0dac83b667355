/**
 * Driver of what has no API that the hub knows, but a stream: the hub opens the stream as it does the inputs of channels,
 * and so knows whether it is there and what it contains. If a channel has the stream already, that one is looked at.
 */
import type { DeviceFacts } from '../../contract/device-facts.ts';
import { HubError } from '../../lib/hub-error.ts';
import { timing } from '../../timing.ts';
import type { DeviceSession, Driver, StreamDevice, Transport } from '../driver.ts';
import { readPicture } from '../http-file.ts';
import { DeviceProblem } from '../problem.ts';
import { factsOf, problemOf } from './facts.ts';

export type StreamTimes = Pick<typeof timing.deviceCall, 'answerMs' | 'streamMs'>;

/** While too many devices wait for a look, what was seen last counts for this many of the usual times. */
const keptTurns = 20;

export function createStreamDriver(times: StreamTimes = timing.deviceCall): Driver {
  return {
    api: 'stream',
    // What answers at an address is never taken for a stream: an administrator says so.
    recognizes: async () => false,
    open(transport, _credentials, stream) {
      if (stream === undefined || !('look' in stream)) throw new Error('this driver needs a stream');
      return openSession(transport, stream, times);
    },
  };
}

function openSession(transport: Transport, stream: StreamDevice, times: StreamTimes): DeviceSession {
  const { snapshot } = stream;
  let seen: { readonly facts: DeviceFacts; readonly at: number } | undefined;
  const isYounger = (ms: number) => seen !== undefined && performance.now() - seen.at < ms;

  async function look(signal: AbortSignal): Promise<DeviceFacts> {
    const found = await stream.look(signal);
    if (!found.found) throw problemOf(found.reason);
    const facts = factsOf(stream, found.media);
    seen = { facts, at: performance.now() };
    return facts;
  }

  const session: DeviceSession = {
    async identify(signal) {
      return (await look(signal)).identity;
    },
    async poll(signal) {
      if (seen !== undefined && isYounger(times.streamMs)) return seen.facts;
      try {
        return await look(signal);
      } catch (error) {
        if (!(error instanceof HubError) || error.result !== 'tryAgain') throw error;
        if (seen !== undefined && isYounger(times.streamMs * keptTurns)) return seen.facts;
        throw new DeviceProblem('busy', 'too many streams are opened at the same time');
      }
    },
    stream: () => Promise.resolve(stream.source),
    close: async () => {},
  };
  if (snapshot === undefined) return session;
  const { source } = stream;
  const credentials =
    'username' in source ? { user: source.username, password: source.password } : { user: '', password: '' };
  return { ...session, snapshot: (signal) => readPicture(transport, snapshot, credentials, times.answerMs, signal) };
}
