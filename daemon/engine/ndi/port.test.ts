/** What connections and parts report without a runtime, and that they work with one. */

import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { createLog } from '../../lib/log.ts';
import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import { libraryFile } from '../../ndi/elf-for-test.ts';
import type { NdiStream } from '../../sources/stream-address.ts';
import { Channel, type ChannelPorts } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { createPlayerPlaces } from '../channel/player-places.ts';
import type { AttemptEvents, Termination } from '../connection/connection.ts';
import { packetSize } from '../mpegts/packet.ts';
import { createCallers } from '../net/callers.ts';
import { openNdiInput } from './input.ts';
import { openNdiOutput } from './output.ts';
import {
  createNdiPort,
  type NdiLoaded,
  type NdiReceiving,
  type NdiRuntime,
  type NdiSending,
  wantsNdi,
} from './port.ts';

const source: NdiStream = {
  protocol: 'ndi',
  name: 'STUDIO (Cam 1)',
  groups: '',
  extraIps: '',
  lowBandwidth: false,
};
const desired: DesiredChannel = {
  ...{
    id: 1,
    name: 'Studio',
    enabled: true,
    pushKey: 'a',
    playKey: 'b',
    allow: { rtmp: true, srt: true },
    takeover: false,
  },
  ...{ inputId: 3, input: source, outputs: [] },
};
const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };

const unopened = (): NdiRuntime => {
  throw new Error('there is no runtime');
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ndi-port-'));
  folders.push(folder);
  return folder;
}

function attemptEvents() {
  const { promise, resolve } = Promise.withResolvers<Termination>();
  const heard: string[] = [];
  const events: AttemptEvents = { connected: () => void heard.push('connected'), ended: resolve };
  return { events, ended: promise, heard };
}

function channelOf() {
  const ports: ChannelPorts = {
    log: createLog('error', () => undefined),
    feeds: { srt: noFeed, udp: noFeed },
    playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),

    openInput: () => ({ bytes: 0, skipped: 0, close: () => undefined }),
    openOutput: () => ({ bytes: 0, skipped: 0, close: () => undefined }),
    onChange: () => undefined,
  };
  return new Channel({ ...desired, feedsOthers: false }, ports);
}

test('the runtime is reported only while a channel uses NDI, and one installed later is found', () => {
  const parts: (EnginePart | undefined)[] = [];
  const folder = emptyFolder();
  const ndi = createNdiPort({ env: {}, folders: [folder], open: unopened, onPart: (part) => parts.push(part) });
  ndi.retry();
  expect(parts).toEqual([]);
  ndi.want(true);
  ndi.want(true);
  expect(parts).toEqual([{ name: 'ndi', ok: false, reason: 'missing', message: expect.stringContaining(folder) }]);
  writeFileSync(join(folder, 'libndi.so.6'), 'not a library');
  ndi.retry();
  expect(parts.at(-1)).toMatchObject({ reason: 'failed', message: expect.stringContaining('it is not a library') });
  ndi.want(false);
  expect(parts.at(-1)).toBeUndefined();
});

test('a channel uses NDI when it is on and its input or an enabled output is NDI', () => {
  const output = { id: 7, enabled: true, target: source };
  const push = { ...desired, inputId: 0, input: { protocol: 'push' } as const };
  expect([desired, { ...desired, enabled: false }, push].map(wantsNdi)).toEqual([true, false, false]);
  expect(wantsNdi({ ...push, outputs: [output] })).toBe(true);
  expect(wantsNdi({ ...push, outputs: [{ ...output, enabled: false }] })).toBe(false);
});

test('without a runtime input and output fail, and report what is missing and where it was searched', async () => {
  const folder = emptyFolder();
  const ndi = createNdiPort({ env: {}, folders: [folder], open: unopened, onPart: () => undefined });
  ndi.want(true);
  const channel = channelOf();
  for (const open of [openNdiInput, openNdiOutput]) {
    const { events, ended } = attemptEvents();
    open(ndi, source, channel, events);
    const end = await ended;
    expect(end).toMatchObject({ conn: 28, reason: 'partMissing', permanent: true });
    expect(end.text).toContain(folder);
  }
  channel.close('end');
});

/** A double of the interface. */
function drivenPort() {
  const received: NdiReceiving[] = [];
  const sent: NdiSending[] = [];
  const written: number[] = [];
  let takes = true;
  let loaded: (how: NdiLoaded) => void = () => undefined;
  const runtime: NdiRuntime = {
    receive(receiving) {
      received.push(receiving);
      return new Promise((resolve) => receiving.signal.addEventListener('abort', () => resolve()));
    },
    send(sending) {
      sent.push(sending);
      return {
        write(bytes) {
          if (takes) written.push(bytes.length);
          return takes;
        },
        close: () => undefined,
      };
    },
  };
  const folder = emptyFolder();
  writeFileSync(join(folder, 'libndi.so.6'), libraryFile());
  const parts: (EnginePart | undefined)[] = [];
  const open = (_: string, onLoaded: typeof loaded) => {
    loaded = onLoaded;
    return runtime;
  };
  const ndi = createNdiPort({ env: {}, folders: [folder], open, onPart: (part) => parts.push(part) });
  ndi.want(true);
  const stopTaking = () => {
    takes = false;
  };
  return { ndi, parts, folder, received, sent, written, stopTaking, loaded: (how: NdiLoaded) => loaded(how) };
}

const packets = (count: number) => {
  const bytes = new Uint8Array(count * packetSize).fill(0xff);
  for (let at = 0; at < bytes.length; at += packetSize) bytes.set([0x47, 0x1f, 0xff, 0x10], at);
  return bytes;
};

test('the reported version is that of the loaded library; if it cannot be loaded, the search is repeated', () => {
  const { ndi, parts, folder, loaded } = drivenPort();
  expect(parts).toEqual([{ name: 'ndi', ok: true }]);
  loaded({ version: '6.3.2.0' });
  expect(parts.at(-1)).toEqual({ name: 'ndi', ok: true, version: '6.3.2.0' });
  ndi.retry();
  expect(parts).toHaveLength(2);
  loaded({ fault: 'missingDependency libavahi-client.so.3' });
  expect(parts.at(-1)).toMatchObject({ ok: false, reason: 'failed', message: expect.stringContaining('libavahi') });
  ndi.retry();
  expect(parts).toHaveLength(3);
  writeFileSync(join(folder, 'libndi.so.6.9'), libraryFile());
  ndi.retry();
  expect(parts.at(-1)).toEqual({ name: 'ndi', ok: true });
});

test('with a runtime the received data becomes the channel’s stream, until the attempt is closed', () => {
  const { ndi, received } = drivenPort();
  const channel = channelOf();
  const { events, heard } = attemptEvents();
  const attempt = openNdiInput(ndi, source, channel, events);
  received[0]?.onConnected();
  received[0]?.onBytes(packets(7));
  expect(heard).toEqual(['connected']);
  expect(attempt.bytes).toBe(7 * packetSize);
  expect(channel.input.status()).toMatchObject({ protocol: 'ndi', peer: 'STUDIO (Cam 1)' });
  attempt.close('enough');
  expect(received[0]?.signal.aborted).toBe(true);
  channel.close('end');
});

test('with a runtime the channel’s packets are sent, and dropped ones are counted', () => {
  const { ndi, sent, written, stopTaking } = drivenPort();
  const channel = channelOf();
  const { events, heard } = attemptEvents();
  const attempt = openNdiOutput(ndi, source, channel, events);
  sent[0]?.onConnected();
  const push = (count: number) => {
    const data = packets(count);
    channel.ts.ring.push({ data, bytes: data.length, entryPoint: true });
    channel.ts.ring.notify();
  };
  push(7);
  expect(heard).toEqual(['connected']);
  expect(written.reduce((sum, length) => sum + length, 0)).toBe(7 * packetSize);
  stopTaking();
  push(7);
  expect([attempt.bytes, attempt.skipped]).toEqual([7 * packetSize, 1]);
  attempt.close('enough');
  channel.close('end');
});
