/** Publishers that replace each other: if one is silent, or at once if the channel permits it. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let names = 0;

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterEach(killAll);
afterAll(() => hub.stop());

interface ChannelView {
  state: string;
  input: { addr: string; reconnects: number; reason?: string };
}

async function addChannel(takeover: boolean) {
  const key = `takeover-push-${++names}`;
  const config = { 'push-key': key, enable: true, protocol: { takeover } };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Takeover ${names}`, config });
  const { srt, rtmp } = hub.ports;
  const urls = {
    srt: `srt://127.0.0.1:${srt}?mode=caller&streamid=${key}&pkt_size=1316`,
    rtmp: `rtmp://127.0.0.1:${rtmp}/live/${key}`,
  };
  return { id, urls };
}

const untilLive = (id: number, isMeant: (view: ChannelView) => boolean = () => true) =>
  untilSeen(
    () => hub.api<ChannelView>(`/api/channel/query?id=${id}`),
    (view) => view.state === 'live' && isMeant(view),
    usualMs,
    `channel ${id} is live`,
  );

/** The input's history, newest first. */
async function reasonsOf(id: number): Promise<(string | undefined)[]> {
  const { list } = await hub.api<{ list: { reason?: string }[] }>(`/api/channel/events?id=${id}&what=input`);
  return list.map(({ reason }) => reason);
}

test('a silent SRT publisher is replaced by a new one, and log and history show it', async () => {
  const { id, urls } = await addChannel(false);
  const first = publish(urls.srt);
  const before = (await untilLive(id)).input;
  expect(await publish(urls.srt).exited).not.toBe(0);
  first.child.kill('SIGSTOP');
  let second = publish(urls.srt);
  // Refused until the first has been silent long enough.
  await until(async () => {
    if (second.child.exitCode !== null) second = publish(urls.srt);
    return (await hub.api<ChannelView>(`/api/channel/query?id=${id}`)).input.reconnects > before.reconnects;
  });
  expect((await untilLive(id)).input.addr).not.toBe(before.addr);
  expect(hub.logs()).toContain('publishing ended protocol=srt reason=stalled');
  await until(async () => (await reasonsOf(id)).includes('stalled'));
});

test.each(['srt', 'rtmp'] as const)(
  'if the channel allows it, a new publisher over %s takes over at once',
  async (by) => {
    const { id, urls } = await addChannel(true);
    const first = publish(urls[by]);
    const before = (await untilLive(id)).input;
    publish(urls[by]);
    await untilLive(id, ({ input }) => input.reconnects > before.reconnects && input.addr !== before.addr);
    expect(await first.exited).not.toBe(0);
    if (by === 'rtmp') expect(first.stderr()).toContain('a new publisher took over');
    expect(hub.logs()).toContain(`publishing ended protocol=${by} reason=replaced`);
    await until(async () => (await reasonsOf(id)).includes('replaced'));
  },
);

test('a publisher takes over from one that uses another protocol', async () => {
  const { id, urls } = await addChannel(true);
  const first = publish(urls.srt);
  await untilLive(id);
  const second = publish(urls.rtmp);
  expect(await first.exited).not.toBe(0);
  const { addr } = (await untilLive(id, ({ input }) => input.reconnects === 1)).input;
  publish(urls.srt);
  expect(await second.exited).not.toBe(0);
  await untilLive(id, ({ input }) => input.reconnects === 2 && input.addr !== addr);
});
