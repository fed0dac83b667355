/** The text of a mail about alarms, in the hub's language. */
import { isCommon } from '../../contract/alarm-severity.ts';
import type { Alarm, AlarmKind } from '../../contract/alarms.ts';
import type { Language } from '../../contract/rules.ts';
import type { Mail } from './send-mail.ts';

export interface MailTextOptions {
  /** `auto` is English: a mail has no browser to ask. */
  readonly language: Language;
  /** '' if none was set. */
  readonly hubName: string;
  /** Of the page of alarms; undefined if other machines do not reach the console. */
  readonly consoleUrl: string | undefined;
}

/** More alarms than these are only counted. */
export const maxListed = 100;

interface Words {
  readonly kinds: Readonly<Record<AlarmKind, string>>;
  /** `over`: how many of them have been cleared. */
  readonly many: (count: number, over: number) => string;
  readonly over: (title: string) => string;
  readonly hub: string;
  readonly alarm: string;
  readonly channel: string;
  readonly device: string;
  readonly devices: (count: number) => string;
  readonly output: string;
  readonly raised: string;
  readonly cleared: string;
  readonly further: (count: number) => string;
  readonly console: string;
  readonly test: Mail;
}

const english: Words = {
  kinds: {
    'no-input': 'No input',
    'no-video': 'No video',
    'no-audio': 'No audio',
    'bitrate-below': 'Low bitrate',
    'cc-errors': 'CC errors',
    'srt-loss': 'SRT packet loss',
    'on-backup': 'Backup on air',
    'on-slate': 'Slate on air',
    'output-failed': 'Output failed',
    'engine-down': 'Media engine down',
    'engine-replaced': 'Media engine replaced',
    'few-descriptors': 'File descriptors nearly exhausted',
    'no-space': 'Data folder nearly full',
    'device-offline': 'Device offline',
    'device-problem': 'Device problem',
    'device-no-signal': 'Device without a signal',
    'device-hot': 'Device too hot',
    'device-storage': 'Device storage',
    'device-network': 'Device network port down',
  },
  many: (count, over) =>
    over === 0 ? `${count} alarms` : over === count ? `${count} alarms cleared` : `${count} alarms, ${over} cleared`,
  over: (title) => `Cleared: ${title}`,
  hub: 'Hub',
  alarm: 'Alarm: ',
  channel: 'Channel: ',
  device: 'Device: ',
  devices: (count) => `${count} devices`,
  output: 'Output: ',
  raised: 'Raised: ',
  cleared: 'Cleared: ',
  further: (count) => `Further alarms: ${count}`,
  console: 'Alarms in the console: ',
  test: { subject: 'Test mail', text: 'The hub can send mails about alarms.' },
};

const chinese: Words = {
  kinds: {
    'no-input': '无输入',
    'no-video': '无视频',
    'no-audio': '无音频',
    'bitrate-below': '码率过低',
    'cc-errors': '连续计数错误',
    'srt-loss': 'SRT 丢包',
    'on-backup': '备用输入播出',
    'on-slate': '垫片播出',
    'output-failed': '输出失败',
    'engine-down': '媒体引擎停止',
    'engine-replaced': '媒体引擎已重启',
    'few-descriptors': '文件描述符即将耗尽',
    'no-space': '数据目录空间不足',
    'device-offline': '设备离线',
    'device-problem': '设备异常',
    'device-no-signal': '设备无信号',
    'device-hot': '设备温度过高',
    'device-storage': '设备存储异常',
    'device-network': '设备网口断开',
  },
  many: (count, over) =>
    over === 0
      ? `${count} 条告警`
      : over === count
        ? `${count} 条告警已解除`
        : `${count} 条告警，其中 ${over} 条已解除`,
  over: (title) => `已解除：${title}`,
  hub: '本机',
  alarm: '告警：',
  channel: '通道：',
  device: '设备：',
  devices: (count) => `${count} 台设备`,
  output: '输出：',
  raised: '触发时间：',
  cleared: '解除时间：',
  further: (count) => `另有告警：${count} 条`,
  console: '在控制台查看告警：',
  test: { subject: '测试邮件', text: '本机可以发送告警邮件。' },
};

const wordsOf = (language: Language): Words => (language === 'zh' ? chinese : english);

/** `alarms`: at least one, in the order of what happened first. */
export function alarmMail(alarms: readonly Alarm[], options: MailTextOptions): Mail {
  const words = wordsOf(options.language);
  const title = titleOf(alarms, words);
  const listed = alarms.slice(0, maxListed).map((alarm) => paragraph(alarm, words, options.language));
  const rest = alarms.length - listed.length;
  return mailOf(title, [...listed, ...(rest > 0 ? [words.further(rest)] : [])], options);
}

function titleOf(alarms: readonly Alarm[], words: Words): string {
  const { kinds, many, over } = words;
  const [first, ...others] = alarms;
  if (first === undefined || others.length > 0) {
    return many(alarms.length, alarms.filter(({ cleared }) => cleared !== 0).length);
  }
  const title = `${kinds[first.kind]} – ${placeOf(first, words)}`;
  return first.cleared === 0 ? title : over(title);
}

export function testMail(options: MailTextOptions): Mail {
  const { subject, text } = wordsOf(options.language).test;
  return mailOf(subject, [text], options);
}

function mailOf(
  title: string,
  paragraphs: readonly string[],
  { language, hubName, consoleUrl }: MailTextOptions,
): Mail {
  const link = consoleUrl === undefined ? [] : [`${wordsOf(language).console}${consoleUrl}`];
  return { subject: `${hubName || 'Signalbox'}: ${title}`, text: `${[...paragraphs, ...link].join('\n\n')}\n` };
}

/** The channel, the device, how many devices, or the hub. */
function placeOf(alarm: Alarm, { hub, devices }: Words): string {
  return isCommon(alarm) ? devices(alarm.peak) : alarm.name || hub;
}

function paragraph(alarm: Alarm, words: Words, language: Language): string {
  const { kind, device, output, raised, cleared } = alarm;
  const place = placeOf(alarm, words);
  const serial = device === undefined ? '' : ` (${device})`;
  const time = (at: number) => timeText(at, language);
  return [
    `${words.alarm}${words.kinds[kind]}`,
    device === undefined && !isCommon(alarm) ? `${words.channel}${place}` : `${words.device}${place}${serial}`,
    ...(output === undefined ? [] : [`${words.output}${output.name}`]),
    `${words.raised}${time(raised)}`,
    ...(cleared === 0 ? [] : [`${words.cleared}${time(cleared)}`]),
  ].join('\n');
}

/** In the hub's time zone, which it names. */
function timeText(at: number, language: Language): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  return new Intl.DateTimeFormat(locale, { ...parts, ...clock, timeZoneName: 'shortOffset' }).format(at);
}
