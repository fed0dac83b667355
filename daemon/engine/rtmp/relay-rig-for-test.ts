/** An engine double with the RTMP endpoint, and streams whose every picture and sound is numbered. */
import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointBinary } from '../../../native/common/test-endpoint.ts';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import type { OutgoingMessage } from './chunk-writer.ts';
import { type EngineDouble, startEngineDouble } from './engine-double-for-test.ts';
import type { SessionLimits } from './hooks.ts';
import { createRelay } from './relay.ts';
import { type ScriptedPlayer, startScriptedPlayer } from './scripted-player-for-test.ts';
import { startScriptedPublisher } from './scripted-publisher-for-test.ts';

export const binary = endpointBinary('rtmp', 'plain');
export const closers: (() => Promise<void> | void)[] = [];
/** Called by each test file after each test. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export async function startEngine(limits: Partial<SessionLimits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'rtmp-relay-'));
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  const relay = createRelay({ binary, socketPath: join(folder, 'rtmp.sock'), log, pauseMs: 50 });
  const engine = startEngineDouble(limits, undefined, relay);
  const timer = setInterval(() => relay.tick(), 200);
  closers.push(async () => {
    clearInterval(timer);
    engine.server.close('test over');
    await relay.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { engine, relay, lines };
}

export type Started = Awaited<ReturnType<typeof startEngine>>;

export const header: OutgoingMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };
export const frameMs = 40;

export function frame(n: number, size = 500 + ((n * 7919) % 3000)): OutgoingMessage {
  const payload = new Uint8Array(size).fill(n & 0xff);
  payload.set([n % 10 === 0 ? 0x17 : 0x27, 1, 0, 0, 0, n >> 8, n & 0xff]);
  return { type: 9, timestamp: n * frameMs, payload };
}

export function sound(n: number): OutgoingMessage {
  return { type: 8, timestamp: n * frameMs + 10, payload: Uint8Array.of(0xaf, 1, n >> 8, n & 0xff, 7) };
}

/** Sends one picture and one sound after the other, usually faster than they would be shown. */
export async function startStream({ engine }: Started, { chunkBytes = 4096, everyMs = 5 } = {}) {
  const publisher = await startScriptedPublisher(engine.server.port, 'push', chunkBytes);
  await until(() => engine.isPublishing());
  publisher.send(header);
  let n = 0;
  let isStopped = false;
  let makes = frame;
  const run = (async () => {
    while (!isStopped) {
      publisher.send(makes(n), sound(n));
      n++;
      await Bun.sleep(everyMs);
    }
  })();
  const stop = async () => {
    isStopped = true;
    await run;
  };
  closers.push(async () => {
    await stop();
    publisher.socket.terminate();
  });
  return {
    publisher,
    stop,
    get sent() {
      return n;
    },
    make(next: (n: number) => OutgoingMessage) {
      makes = next;
    },
  };
}

export const isAway = ({ engine }: Started) => engine.isPublishing() && engine.bus.ring.subscribers === 0;
export const numberOf = ({ payload }: OutgoingMessage, at: number) =>
  ((payload[at] ?? 0) << 8) | (payload[at + 1] ?? 0);
export const videosOf = ({ media }: ScriptedPlayer) =>
  media.filter(({ type, payload }) => type === 9 && payload[1] === 1);
export const soundsOf = ({ media }: ScriptedPlayer) => media.filter(({ type }) => type === 8);
export const lastOf = (player: ScriptedPlayer) => numberOf(videosOf(player).at(-1) ?? frame(0), 5);

/**
 * Every picture and sound from the first one on, once, unchanged and with its time. Returns how much later the times
 * are than the publisher's.
 */
export function expectWhole(player: ScriptedPlayer): number {
  const videos = videosOf(player);
  const first = numberOf(videos[0] ?? frame(0), 5);
  const offset = (videos[0]?.timestamp ?? 0) - frame(first).timestamp;
  expect(first % 10).toBe(0);
  for (const [i, video] of videos.entries()) {
    const expected = frame(first + i);
    if (numberOf(video, 5) !== first + i) throw new Error(`picture ${numberOf(video, 5)} instead of ${first + i}`);
    expect(video.timestamp).toBe(expected.timestamp + offset);
    expect(Buffer.compare(video.payload, expected.payload)).toBe(0);
  }
  const sounds = soundsOf(player);
  const firstSound = numberOf(sounds[0] ?? sound(0), 2);
  for (const [i, one] of sounds.entries()) {
    if (numberOf(one, 2) !== firstSound + i) throw new Error(`sound ${numberOf(one, 2)} instead of ${firstSound + i}`);
    expect(one.timestamp).toBe(sound(firstSound + i).timestamp + offset);
  }
  return offset;
}

export async function startPlayer({ engine }: { engine: EngineDouble }): Promise<ScriptedPlayer> {
  const player = await startScriptedPlayer(engine.server.port, 'play');
  closers.push(() => player.socket.terminate());
  await until(() => videosOf(player).length > 0);
  return player;
}

/** The endpoint passes nothing on. */
export async function untilSkipping({ engine }: Started): Promise<void> {
  let [messages, frames] = [-1, -1];
  await until(() => {
    const video = engine.sinks[0]?.arrivals.video ?? 0;
    if (messages === engine.bus.messages && engine.bus.ring.heldBytes === 0) return video > frames + 30;
    [messages, frames] = [engine.bus.messages, video];
    return false;
  });
}
