/** Loss and round trip in a channel's rows, and their history in a dialog, over a network that really loses packets. */
import { isSrtData, type LossyLink, openLossyLink } from '../integration/lossy-link.ts';
import { expect, test } from './console-test.ts';
import { encode } from './stage.ts';

let link: LossyLink | undefined;
test.afterEach(() => {
  link?.close();
  link = undefined;
});

test('an input over a lossy network shows its loss, and opens the history of it', async ({ page, stage, hub }) => {
  const channel = await stage.channel('Mobile');
  link = await openLossyLink({ port: hub.ports.srt, every: 12, way: 'there', isMedia: isSrtData });
  encode(channel.srtPushUrl.replace(String(hub.ports.srt), String(link.port)));
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  const input = page.getByRole('region', { name: 'Input' });
  const figure = input.getByRole('button', { name: /Link quality of .*% lost in the last 10 s, RTT .* ms$/ });
  await expect(figure).toHaveText(/^\d+\.\d\d % loss · RTT [\d.]+ ms/);
  await figure.click();
  const dialog = page.getByRole('dialog', { name: /Link quality of/ });
  await expect(dialog.getByRole('img', { name: /^Packets lost: 0 – [\d.]+ %$/ })).toBeVisible();
  for (const name of ['Retransmits and drops', 'CC errors', 'RTT', 'Buffer']) {
    await expect(dialog.getByRole('img', { name: new RegExp(`^${name}: `) })).toBeVisible();
  }
  await expect(dialog).toContainText(/No interruptions in the last \d+ (s|min)/);
  const lost = dialog.getByRole('row', { name: /^Packets lost/ });
  await expect(lost.getByRole('cell').last()).toHaveText(/^[1-9][\d.]* %$/);
  await dialog.getByText('60 minutes').click();
  await expect(dialog.getByRole('img', { name: /^RTT: / })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(figure).toBeFocused();
});

test('the time span of the bitrate plot can be chosen', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Span');
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  const panel = page.getByRole('region', { name: 'Bitrate' });
  await expect(panel.getByRole('radio', { name: '5 minutes' })).toBeChecked();
  await panel.getByText('60 minutes').click();
  await expect(panel.getByRole('radio', { name: '60 minutes' })).toBeChecked();
  await expect(panel.getByRole('img', { name: /^Bitrate received: / })).toBeVisible();
});

test('with many outputs the bitrate plot is below the input, where the page would be empty', async ({
  page,
  stage,
  hub,
}) => {
  const channel = await stage.liveChannel('Many outputs');
  const config = { type: 1, url: 'udp://127.0.0.1:9' };
  const add = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) {
      const { id } = await hub.api<{ id: number }>('/api/output/add', {
        name: `Output ${n}`,
        config,
        channel: channel.id,
      });
      stage.adoptOutput(id);
    }
  };
  await add(1, 1);
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  const left = async (name: string) => (await page.getByRole('region', { name, exact: true }).boundingBox())?.x;
  await expect.poll(async () => (await left('Bitrate')) === (await left('Outputs'))).toBe(true);
  await add(2, 11);
  await expect.poll(async () => (await left('Bitrate')) === (await left('Input'))).toBe(true);
});

test('outputs that are switched off are not counted as expected to run', async ({ page, stage, hub }) => {
  const channel = await stage.liveChannel('Counted');
  await stage.output(channel, 'On', { type: 1, url: 'udp://127.0.0.1:9' });
  const off = await stage.output(channel, 'Off', { type: 1, url: 'udp://127.0.0.1:9' });
  await hub.api('/api/channel/output/enable', { id: channel.id, output: off, enable: false });
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await expect(page.getByRole('listitem').filter({ hasText: /^Outputs running/ })).toContainText('1 / 1');
});
