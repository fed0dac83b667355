/** The places of the console that the walk checks. Add a row for each new page or dialog. */
import { expect, type Page } from '@playwright/test';
import type { Stage } from './stage.ts';

/** Returns the text in the language of the view. */
export type Say = (english: string, chinese: string) => string;

export interface Place {
  readonly path: string;
  /** The heading or dialog that appears when the place is open, with its name in both languages. */
  readonly shows: readonly ['heading' | 'dialog', english: RegExp, chinese: RegExp];
  /** Steps on the page that lead to the place. */
  readonly reach?: (page: Page, say: Say) => Promise<void>;
}

export interface Furniture {
  readonly channel: number;
  readonly output: number;
}

/** English names are realistically long. Chinese views use at most two letters, as more would count as English text. */
const named = {
  en: {
    channel: 'K2 channel with a name that is long for a phone',
    output: 'P1 playout rack of the outside broadcast van',
    faulty: 'Q',
    url: 'rtmp://a-rather-long-host-name.example.invalid/live',
  },
  zh: { channel: 'K', output: 'P', faulty: 'Q', url: 'rtmp://127.0.0.1:9/live' },
} as const;

/** Creates a live channel, a waiting channel, an output that sends and one that fails. */
export async function furnish(stage: Stage, language: keyof typeof named): Promise<Furniture> {
  const { channel, output, faulty, url } = named[language];
  const live = await stage.liveChannel(channel);
  await stage.output(live, faulty, { url, key: 'k' });
  const sending = await stage.output(live, output, { type: 1, url: 'udp://127.0.0.1:9' });
  await stage.channel(channel);
  return { channel: live.id, output: sending };
}

async function openRowMenu(page: Page, say: Say): Promise<void> {
  const name = new RegExp(say('^More actions for K', '^K \\d+ 的更多操作$'));
  await page.getByRole('button', { name }).first().click();
  await expect(page.getByRole('menuitem', { name: say('Delete', '删除') })).toBeVisible();
}

/** Waits for the result of a search: the heading is that of the page before it. */
async function findNothing(page: Page, say: Say): Promise<void> {
  await expect(page.getByText(new RegExp(say('^Nothing matches the', '^没有.+的结果$')))).toBeVisible();
}

/** These need a live channel. */
export const listPlaces: readonly Place[] = [
  { path: '/dashboard', shows: ['heading', /^Dashboard$/, /^仪表盘$/] },
  { path: '/alarms', shows: ['heading', /^Alarms$/, /^告警$/] },
  { path: '/search?q=K', shows: ['heading', /^Search$/, /^搜索$/] },
  {
    path: '/dashboard',
    async reach(page, say) {
      await page.getByRole('button', { name: say('Go to', '前往'), exact: true }).click();
      await expect(page.getByRole('option', { name: /^K/ }).first()).toBeVisible();
    },
    shows: ['dialog', /^Go to$/, /^前往$/],
  },
  { path: '/stream/channels', shows: ['heading', /^Channels$/, /^通道$/] },
  { path: '/stream/channels', reach: openRowMenu, shows: ['heading', /^Channels$/, /^通道$/] },
  { path: '/stream/channels?q=none-of-these', reach: findNothing, shows: ['heading', /^Channels$/, /^通道$/] },
  {
    path: '/stream/channels',
    async reach(page, say) {
      await openRowMenu(page, say);
      await page.getByRole('menuitem', { name: say('Delete', '删除') }).click();
    },
    shows: ['dialog', /^Delete “/, /^删除“/],
  },
  { path: '/stream/channels?dialog=add', shows: ['dialog', /^Add channel$/, /^添加通道$/] },
  { path: '/stream/output', shows: ['heading', /^Outputs$/, /^输出$/] },
];

export function channelPlaces({ channel, output }: Furniture): Place[] {
  const detail = `/stream/channel/detail/${channel}`;
  return [
    { path: detail, shows: ['heading', /^K/, /^K/] },
    {
      path: detail,
      async reach(page, say) {
        await page.getByRole('button', { name: say('Stop', '停止'), exact: true }).click();
      },
      shows: ['dialog', /^Stop “/, /^停止“/],
    },
    { path: `${detail}?dialog=add-output`, shows: ['dialog', /^Add output$/, /^添加输出$/] },
    { path: `${detail}?dialog=duplicate`, shows: ['dialog', /^Duplicate channel “/, /^创建通道“.+”的副本$/] },
    {
      path: `/stream/output?dialog=duplicate&id=${output}`,
      shows: ['dialog', /^Duplicate output “/, /^创建输出“.+”的副本$/],
    },
    { path: `${detail}?dialog=edit`, shows: ['dialog', /^Edit “/, /^编辑“/] },
    {
      path: `${detail}?dialog=quality-output&id=${output}`,
      shows: ['dialog', /^Link quality of P/, /^P 的链路质量/],
    },
    { path: `${detail}?dialog=input`, shows: ['dialog', /^Change input of/, /^更换“.+”的输入$/] },
    { path: `${detail}?dialog=device`, shows: ['dialog', /^Use a device as input of/, /^将设备用作“.+”的输入$/] },
    { path: `${detail}?dialog=decoder`, shows: ['dialog', /^Send “.+” to a decoder$/, /发送到解码器$/] },
    { path: `${detail}?dialog=failover`, shows: ['dialog', /^Backup and failover of/, /的备用输入与切换$/] },
    { path: `${detail}?dialog=alarms`, shows: ['dialog', /^Alarms of/, /的告警$/] },
    { path: `${detail}?dialog=preview`, shows: ['heading', /^K/, /^K/] },
    { path: '/stream/channel/detail/999999', shows: ['heading', /^Channel$/, /^通道$/] },
  ];
}

export const settingsPlaces: readonly Place[] = [
  { path: '/stream/input', shows: ['heading', /^Inputs$/, /^输入$/] },
  { path: '/stream/input?dialog=add', shows: ['dialog', /^Add input$/, /^添加输入$/] },
  { path: '/stream/server', shows: ['heading', /^Destinations$/, /^推流目标$/] },
  { path: '/stream/server?dialog=add', shows: ['dialog', /^Add destination$/, /^添加推流目标$/] },
  { path: '/settings/general', shows: ['heading', /^General$/, /^常规设置$/] },
  { path: '/settings/certificate', shows: ['heading', /^Certificate$/, /^证书$/] },
  { path: '/import-settings', shows: ['heading', /^Import settings$/, /^导入设置$/] },
  { path: '/reset-all-settings', shows: ['heading', /^Reset all settings$/, /^重置全部设置$/] },
  { path: '/reboot', shows: ['heading', /^Restart$/, /^重启$/] },
  { path: '/settings/logs', shows: ['heading', /^Logs$/, /^日志$/] },
  { path: '/settings/logs?log=system', shows: ['heading', /^Logs$/, /^日志$/] },
  {
    path: '/settings/logs?q=none-of-these&result=failure',
    reach: findNothing,
    shows: ['heading', /^Logs$/, /^日志$/],
  },
  { path: '/settings/about?part=support', shows: ['heading', /^About$/, /^关于$/] },
  { path: '/nowhere', shows: ['heading', /^Page not found$/, /^页面不存在$/] },
];

export const peoplePlaces: readonly Place[] = [
  { path: '/settings/user', shows: ['heading', /^Users and groups$/, /^用户和用户组$/] },
  { path: '/settings/user?dialog=add', shows: ['dialog', /^Add user$/, /^添加用户$/] },
  { path: '/settings/user?dialog=edit&id=2', shows: ['dialog', /^Edit user “viewer”$/, /^编辑用户“viewer”$/] },
  {
    path: '/settings/user?dialog=password&id=2',
    shows: ['dialog', /^Set the password of “viewer”$/, /^设置“viewer”的密码$/],
  },
  { path: '/settings/user?dialog=add-group', shows: ['dialog', /^Add group$/, /^添加用户组$/] },
  { path: '/settings/profile', shows: ['heading', /^Profile$/, /^个人资料$/] },
  {
    path: '/settings/profile',
    async reach(page, say) {
      await page.getByRole('button', { name: new RegExp(say('^Account of Admin$', '^Admin 的账户$')) }).click();
      await expect(page.getByText(say('group Admin', '用户组：管理员'))).toBeVisible();
    },
    shows: ['heading', /^Profile$/, /^个人资料$/],
  },
  { path: '/settings/profile?dialog=password', shows: ['dialog', /^Change password$/, /^修改密码$/] },
  { path: '/settings/profile?dialog=keys', shows: ['dialog', /^Keyboard$/, /^键盘快捷键$/] },
  { path: '/settings/user-group/1', shows: ['heading', /^Admin$/, /^管理员$/] },
  { path: '/settings/user-group/4', shows: ['heading', /^Viewer$/, /^查看者$/] },
  {
    path: '/settings/user-group/4',
    async reach(page, say) {
      await page.getByRole('checkbox', { name: say('Edit inputs and outputs', '编辑输入和输出'), exact: true }).check();
      await page.getByRole('checkbox', { name: say('View channels', '查看通道'), exact: true }).uncheck();
      await expect(page.getByText(say('Members must sign in again', '成员需要重新登录'))).toBeVisible();
    },
    shows: ['heading', /^Viewer$/, /^查看者$/],
  },
  {
    path: '/settings/user?dialog=add',
    async reach(page, say) {
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: say('Add user', '添加用户') }).click();
      await expect(dialog.getByText(say('Required', '必填')).first()).toBeVisible();
    },
    shows: ['dialog', /^Add user$/, /^添加用户$/],
  },
];

/** Places that are shown without a session. */
export const signInPlaces: readonly Place[] = [
  {
    path: '/login',
    async reach(page, say) {
      await page.getByRole('button', { name: say('Sign in', '登录') }).click();
      await expect(page.getByText(say('Required', '必填')).first()).toBeVisible();
    },
    shows: ['heading', /^Sign in$/, /^登录$/],
  },
];

/** Of a hub that has no devices yet. */
export const devicePlaces: readonly Place[] = [
  { path: '/devices/pending', shows: ['heading', /^Pending approval$/, /^待审批$/] },
  { path: '/devices/rejected', shows: ['heading', /^Rejected devices$/, /^被拒绝的设备$/] },
  { path: '/devices/all', shows: ['heading', /^All devices$/, /^全部设备$/] },
  { path: '/devices/warning', shows: ['heading', /^Warnings$/, /^警告$/] },
  { path: '/devices/favorite', shows: ['heading', /^Favorites$/, /^收藏$/] },
  { path: '/devices/group-0', shows: ['heading', /^Devices in no group$/, /^未分组的设备$/] },
  { path: '/portforward', shows: ['heading', /^Port forwarding$/, /^端口转发$/] },
  { path: '/settings/firmware', shows: ['heading', /^Firmware$/, /^固件$/] },
  { path: '/settings/devices', shows: ['heading', /^Device settings$/, /^设备设置$/] },
  { path: '/device/detail/none', shows: ['heading', /^Device$/, /^设备$/] },
  { path: '/schedules', shows: ['heading', /^Schedules$/, /^计划任务$/] },
  { path: '/schedules?dialog=add', shows: ['dialog', /^Add schedule$/, /^添加计划任务$/] },
  { path: '/devices/all?dialog=add', shows: ['dialog', /^Add device$/, /^添加设备$/] },
  {
    path: '/devices/all?dialog=add',
    async reach(page, say) {
      await page.getByText(say('List', '列表'), { exact: true }).click();
    },
    shows: ['dialog', /^Add device$/, /^添加设备$/],
  },
  { path: '/settings/devices', shows: ['heading', /^Device settings$/, /^设备设置$/] },
  {
    path: '/settings/devices?dialog=connection',
    shows: ['dialog', /^Connection of all devices$/, /^所有设备的连接$/],
  },
  { path: '/settings/devices?dialog=visibility', shows: ['dialog', /^Who may see devices\?$/, /^谁可以查看设备？$/] },
  { path: '/devices/group-0?dialog=add-group', shows: ['dialog', /^Add device group$/, /^添加设备组$/] },
];

/** Of a hub that has this device. */
export const devicePagePlaces = (sn: string): readonly Place[] => [
  { path: `/device/detail/${sn}`, shows: ['heading', /^Signal path$/, /^信号路径$/] },
  { path: `/device/detail/${sn}?tab=log`, shows: ['heading', /^Changes$/, /^操作记录$/] },
  {
    path: `/device/detail/${sn}?tab=security`,
    shows: ['heading', /^Who sees and manages it$/, /^可以查看和管理该设备的用户$/],
  },
];
