/** Asks the engine to open a source and report its media; the engine runs only a few tests at a time. */

import type { SourceTest } from '../../contract/inputs.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { askEngine } from '../../media/ask-engine.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineReply } from '../../media/protocol/messages.ts';
import type { StreamAddress } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import { fetchSource } from './desired.ts';
import { viewMedia } from './view.ts';

export interface TestedSource {
  /** Id of a stored input, whose running stream is examined if there is one; 0 for none. */
  readonly inputId: number;
  readonly address: StreamAddress;
}
/** The test ends when `signal` aborts. */
export type TestSource = (source: TestedSource, signal: AbortSignal) => Promise<SourceTest>;

export interface SourceTests {
  readonly test: TestSource;
  /** Only whether the source delivers media, and what the engine itself detects of it. */
  readonly look: TestSource;
  /** One picture as a JPEG; undefined if there is none in time. Two are made at a time, the others wait. */
  readonly frame: (source: TestedSource, signal: AbortSignal) => Promise<Uint8Array | undefined>;
}

const framesAtOnce = 2;
const framesInLine = 64;

export function createSourceTests(media: Pick<MediaPort, 'request'>): SourceTests {
  // A previous run of the hub may have left tests with the same engine.
  let lastTest = Date.now();
  const ask = async (
    what: 'test' | 'look' | 'frame',
    { inputId, address }: TestedSource,
    signal: AbortSignal,
  ): Promise<EngineReply> => {
    if (signal.aborted) throw new HubError('interrupted', 'the client has disconnected');
    const test = ++lastTest;
    // The caller is gone. If the engine is gone as well, or ends the test by itself, the failure does not matter.
    const end = () => void media.request({ what: 'endTest', test }, timing.sourceTest.endMs).catch(() => undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      const request = { what, test, inputId, source: fetchSource(address) } as const;
      return await askEngine(media, request, timing.sourceTest.answerMs);
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  const frames = createSemaphore({ atOnce: framesAtOnce, longestLine: framesInLine });
  return {
    test: async (source, signal) => outcomeOf(await ask('test', source, signal)),
    look: async (source, signal) => outcomeOf(await ask('look', source, signal)),
    async frame(source, signal) {
      const reply = await frames(() => ask('frame', source, signal));
      if (reply.what === 'error') throw new HubError('tryAgain', `the media engine says: ${reply.text}`);
      return reply.what === 'frame' ? Buffer.from(reply.jpeg, 'base64') : undefined;
    },
  };
}

function outcomeOf(reply: EngineReply): SourceTest {
  if (reply.what === 'error') throw new HubError('tryAgain', `the media engine says: ${reply.text}`);
  if (reply.what !== 'tested') throw new Error(`the media engine answers a test with ${reply.what}`);
  const { outcome } = reply;
  return outcome.isFound
    ? { found: true, media: viewMedia(outcome.media) }
    : { found: false, 'conn-state': outcome.conn, reason: outcome.reason };
}
