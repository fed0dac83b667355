import { expect, test } from './console-test.ts';

test.use({ locale: 'zh-CN' });

test('the “Go to” field finds pages by their Chinese names', async ({ page }) => {
  await page.goto('/#/dashboard');
  await page.getByRole('button', { name: '前往', exact: true }).click();
  await page.getByRole('combobox').fill('通道');
  await expect(page.getByRole('option', { name: '添加通道' })).toBeVisible();
});

test('the log shows changes in Chinese', async ({ page, stage, hub }) => {
  const channel = await stage.channel('K');
  await stage.output(channel, `P of ${channel.name}`, { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const config = { 'push-key': `other-${channel.id}`, protocol: { srt: false } };
  await hub.api('/api/channel/set', { id: channel.id, name: `${channel.name} N`, config });
  stage.adopt(`${channel.name} N`);
  await page.goto('/#/settings/logs');
  const details = (action: string) =>
    page.getByRole('row').filter({ hasText: channel.name }).filter({ hasText: action }).first();
  await expect(details('修改通道')).toContainText(`${channel.name}：更换推流密钥，停用 SRT，更名为“${channel.name} N”`);
  await expect(details('添加输出')).toContainText(
    `P of ${channel.name}：rtmp://127.0.0.1:9/live，用于 ${channel.name}`,
  );
});
