/** Loss, retransmission, round trip and jitter as reported by the hub, for links that really lose packets. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Channel, Quality, TransportReport } from '../../daemon/contract/channels.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { fileIn, killAll, publish, record } from './live-media.ts';
import { isSrtData, type LossyLink, openLossyLink } from './lossy-link.ts';

setDefaultTimeout(90_000);

let hub: HubProcess;
const folder = mkdtempSync(`${tmpdir()}/sb-quality-`);
const links: LossyLink[] = [];

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterEach(async () => {
  await killAll();
  for (const link of links.splice(0)) link.close();
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

let made = 0;
async function addChannel(): Promise<{ id: number; push: string; play: string }> {
  const [push, play] = [`quality-push-${++made}`, `quality-play-${made}`];
  const config = { 'push-key': push, 'play-key': play, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Quality ${made}`, config });
  return { id, push, play };
}

async function link(options: Parameters<typeof openLossyLink>[0]): Promise<LossyLink> {
  const opened = await openLossyLink(options);
  links.push(opened);
  return opened;
}

/** The channel's input uses this port; returns the port for a sender whose packets are to be lost. */
async function inputOver(protocol: 'udp' | 'rtp', channel: number, every: number): Promise<LossyLink> {
  const port = leasePort();
  const config = { [protocol]: { host: '127.0.0.1', port } };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name: `${protocol} ${made}`, config });
  await hub.api('/api/channel/input/set', { id: channel, input: id });
  return await link({ port, every, way: 'there' });
}

const view = (id: number) => hub.api<Channel>(`/api/channel/query?id=${id}`);
const inputReport = async (id: number): Promise<TransportReport> => (await view(id)).input.report ?? {};
const quality = (id: number, more = '') => hub.api<Quality>(`/api/channel/quality?id=${id}${more}`);
const sum = (values: readonly (number | null)[] = []) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
const srtUrl = (port: number, key: string) =>
  `srt://127.0.0.1:${port}?mode=caller&streamid=${key}&latency=300000&pkt_size=1316`;

test('an SRT publisher on a lossy link shows loss, retransmission and round trip, and when it was disconnected', async () => {
  const channel = await addChannel();
  const lossy = await link({ port: hub.ports.srt, every: 10, way: 'there', isMedia: isSrtData });
  const encoder = publish(srtUrl(lossy.port, channel.push));
  await until(async () => ((await inputReport(channel.id))['pkt-loss-total'] ?? 0) > 20, 20_000, 'packets are missed');
  const report = await inputReport(channel.id);
  expect(report['loss-percent']).toBeGreaterThan(4);
  expect(report['loss-percent']).toBeLessThan(25);
  expect(report['pkt-retrans-total']).toBeGreaterThan(10);
  expect(report['rtt-ms']).toBeGreaterThan(0);

  const metrics = await (await fetch(`${hub.url}/metrics`)).text();
  const ratio = new RegExp(`signalbox_channel_input_loss_ratio\\{channel="${channel.id}"\\} (0\\.\\d+)`).exec(metrics);
  expect(Number(ratio?.[1])).toBeGreaterThan(0.04);

  const past = await quality(channel.id, '&minutes=5');
  expect(past['step-s']).toBe(1);
  expect(past.connected).toContain(true);
  expect(sum(past['pkt-loss'])).toBeGreaterThan(20);
  expect(Math.max(...(past['rtt-ms'] ?? []).map(Number))).toBeGreaterThan(0);
  expect(past['jitter-ms']).toBeUndefined();

  await encoder.stop();
  const isGone = async () => (await quality(channel.id, '&minutes=5')).connected.at(-1) === false;
  await until(isGone, 10_000, 'the history says that it is gone');
  const after = await quality(channel.id, '&minutes=5');
  expect(after['rtt-ms']?.at(-1)).toBeNull();
  expect(after['rtt-ms']).toHaveLength(after.connected.length);
  expect((await view(channel.id)).input.report).toBeUndefined();
});

test('an SRT player on a lossy link has its own history', async () => {
  const channel = await addChannel();
  publish(srtUrl(hub.ports.srt, channel.push));
  await until(async () => (await view(channel.id)).state === 'live', 15_000, 'the channel is live');
  const lossy = await link({ port: hub.ports.srt, every: 10, way: 'back', isMedia: isSrtData });
  record(srtUrl(lossy.port, channel.play), fileIn(folder, 'lossy.mkv'));
  const client = async () => (await view(channel.id)).clients.list[0];
  await until(async () => ((await client())?.report?.['pkt-loss-total'] ?? 0) > 20, 20_000, 'packets are missed');
  const shown = await client();
  expect(shown?.report?.['loss-percent']).toBeGreaterThan(4);
  const hasPast = async () => sum((await quality(channel.id, `&client=${shown?.id}`))['pkt-retrans']) > 10;
  await until(hasPast, 15_000, 'five seconds are gathered');
  expect((await quality(channel.id, `&client=${shown?.id}`))['step-s']).toBe(5);
  // The channel's own input loses nothing.
  expect(sum((await quality(channel.id))['pkt-loss'])).toBe(0);
});

test('RTP reports loss and jitter; plain UDP reports continuity errors and jitter of its clock', async () => {
  const [rtp, udp] = [await addChannel(), await addChannel()];
  const lossyRtp = await inputOver('rtp', rtp.id, 20);
  const lossyUdp = await inputOver('udp', udp.id, 20);
  publish(`rtp://127.0.0.1:${lossyRtp.port}?pkt_size=1328`);
  publish(`udp://127.0.0.1:${lossyUdp.port}?pkt_size=1316`);
  await until(async () => ((await inputReport(rtp.id))['pkt-loss-total'] ?? 0) > 20, 20_000, 'RTP packets are missed');
  const ofRtp = await inputReport(rtp.id);
  expect(ofRtp['loss-percent']).toBeGreaterThan(3);
  expect(ofRtp['loss-percent']).toBeLessThan(8);
  expect(ofRtp).toMatchObject({ 'pkt-late-total': 0, 'jitter-ms': expect.any(Number) });
  expect(ofRtp['pkt-recv-total']).toBeGreaterThan(15 * (ofRtp['pkt-loss-total'] ?? 0));

  const faults = async () => sum((await quality(udp.id, '&minutes=5'))['cc-errors']);
  await until(async () => (await faults()) > 10, 20_000, 'continuity errors are counted');
  const ofUdp = await quality(udp.id, '&minutes=5');
  expect(Math.max(...(ofUdp['jitter-ms'] ?? []).map(Number))).toBeGreaterThan(0);
  expect(ofUdp['loss-percent']).toBeUndefined();
  expect(await inputReport(udp.id)).not.toHaveProperty('pkt-loss');
});

test('an output with only a queue reports the queue; unknown outputs are refused', async () => {
  const [channel, other] = [await addChannel(), await addChannel()];
  const config = { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: other.push };
  const { id } = await hub.api<{ id: number }>('/api/output/add', {
    name: 'To the other',
    config,
    channel: channel.id,
  });
  await hub.api('/api/channel/output/enable', { id: channel.id, output: id, enable: true });
  publish(srtUrl(hub.ports.srt, channel.push));
  await until(async () => (await view(other.id)).state === 'live', 15_000, 'the other is live');
  const past = () => quality(channel.id, `&output=${id}&minutes=5`);
  await until(async () => (await past())['buffer-ms'] !== undefined, 20_000, 'the queue length is reported');
  expect(Object.keys(await past()).toSorted()).toEqual(
    ['buffer-ms', 'connected', 'end', 'pkt-drop', 'result', 'step-s'].toSorted(),
  );
  // An RTMP publisher's connection reports no loss.
  expect((await quality(other.id)).connected).toEqual([]);
  for (const [more, fault] of [
    ['&output=999', /there is no output/],
    [`&output=${id}&client=1`, /either/],
    ['&minutes=7', /minutes/],
  ] as const) {
    await expect(quality(channel.id, more)).rejects.toThrow(fault);
  }
});
