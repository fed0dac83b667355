import { afterEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { until } from '../../../tests/support/until.ts';
import { encodePacket, type RtspMessage, RtspReader } from './message.ts';
import { openRtspRelay } from './relay.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function open() {
  const reports: [number, string][] = [];
  const relay = openRtspRelay({
    sdp: 'v=0\r\nm=video 0 RTP/AVP 96\r\na=control:track0\r\n',
    rtpInfo: ['seq=9'],
    onPacket: (channel, payload) => reports.push([channel, Buffer.from(payload).toString()]),
  });
  cleanups.push(() => relay.close());
  return { relay, reports };
}

/** Asks as FFmpeg does. */
function player(url: string) {
  const messages: RtspMessage[] = [];
  const packets: [number, string][] = [];
  const reader = new RtspReader({
    message: (message) => messages.push(message),
    packet: (channel, payload) => packets.push([channel, Buffer.from(payload).toString()]),
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let isClosed = false;
  socket.on('data', (bytes: Buffer) => reader.feed(bytes));
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  cleanups.push(() => socket.destroy());
  const ask = async (method: string, uri: string, header = ''): Promise<RtspMessage | undefined> => {
    const count = messages.length;
    socket.write(`${method} ${uri} RTSP/1.0\r\nCSeq: ${count + 1}\r\n${header}\r\n`);
    await until(() => messages.length > count || isClosed);
    return messages[count];
  };
  return { ask, packets, write: (bytes: Uint8Array) => socket.write(bytes), isClosed: () => isClosed };
}

test('a relay describes the stream, and gives from the first packet on what it was given', async () => {
  const { relay, reports } = open();
  relay.write(0, Buffer.from('early'));
  const { ask, packets, write } = player(relay.url);
  expect((await ask('DESCRIBE', relay.url))?.body.toString()).toContain('m=video');
  const setup = await ask('SETUP', `${relay.url}/track0`, 'Transport: RTP/AVP/TCP;unicast;interleaved=2-3\r\n');
  expect(setup?.headers.get('transport')).toContain('interleaved=2-3');
  expect((await ask('PLAY', `${relay.url}/`))?.headers.get('rtp-info')).toBe(`url=${relay.url}/track0;seq=9`);
  expect(relay.write(1, Buffer.from('later'))).toBe(true);
  await until(() => packets.length === 2);
  expect(packets).toEqual([
    [2, 'early'],
    [3, 'later'],
  ]);
  write(encodePacket(3, Buffer.from('report')));
  await until(() => reports.length === 1);
  expect(reports).toEqual([[1, 'report']]);
});

test('a relay lets nobody in who does not know its path', async () => {
  const { relay } = open();
  const stranger = player(relay.url);
  expect(await stranger.ask('DESCRIBE', relay.url.replace(/[^/]*$/, 'guess'))).toBeUndefined();
  expect(stranger.isClosed()).toBe(true);
  const friend = player(relay.url);
  expect(await friend.ask('DESCRIBE', relay.url)).toBeDefined();
  const second = player(relay.url);
  expect(await second.ask('DESCRIBE', relay.url)).toBeUndefined();
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('a relay answers no other user, who can read its path in the list of processes', async () => {
  const { relay } = open();
  const ask = `exec 3<>/dev/tcp/127.0.0.1/$0; printf 'DESCRIBE %s RTSP/1.0\\r\\nCSeq: 1\\r\\n\\r\\n' "$1" >&3; head -c 8 <&3`;
  const answerTo = async (...as: readonly string[]) => {
    const child = Bun.spawn([...as, 'bash', '-c', ask, new URL(relay.url).port, relay.url], { stderr: 'ignore' });
    return new Response(child.stdout).text();
  };
  expect(await answerTo('setpriv', '--reuid=65534', '--clear-groups')).toBe('');
  expect(await answerTo()).toBe('RTSP/1.0');
});

test('a relay says when nobody takes what it holds', () => {
  const { relay } = open();
  const megabyte = new Uint8Array(1 << 20);
  let writes = 0;
  while (relay.write(0, megabyte) && writes < 100) writes++;
  expect(writes).toBeLessThan(20);
});
