/** Formats numbers, times and amounts for one language. Value and unit are separate, so that columns align. */
export interface Amount {
  readonly value: string;
  readonly unit: string;
}

export interface Format {
  number: (value: number, digits?: number) => string;
  /** Kilobits per second. */
  rate: (kbps: number) => Amount;
  bytes: (bytes: number) => Amount;
  percent: (value: number) => Amount;
  /** Seconds as `d hh:mm:ss`. */
  duration: (seconds: number) => string;
  /** Seconds in words, with the two largest units: `1 min 20 s`. */
  span: (seconds: number) => string;
  /** Milliseconds since 1970. */
  dateTime: (time: number) => string;
  clock: (time: number) => string;
  relative: (time: number, now: number) => string;
  /** Separator between the items of a list. */
  readonly comma: string;
}

const made = new Map<string, Format>();

export function formatFor(tag: string): Format {
  const known = made.get(tag);
  if (known !== undefined) return known;
  const format = createFormat(tag);
  made.set(tag, format);
  return format;
}

const rateUnits = ['kb/s', 'Mb/s', 'Gb/s'] as const;
const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

function createFormat(tag: string): Format {
  const isChinese = tag.startsWith('zh');
  const numbers = [0, 1, 2].map(
    (digits) => new Intl.NumberFormat(tag, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  );
  const number = (value: number, digits = 0) => (numbers[digits] ?? numbers[0])?.format(value) ?? String(value);
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' });
  const clock = new Intl.DateTimeFormat(tag, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const scaled = (value: number, units: readonly string[], firstDigits: number): Amount => {
    let step = 0;
    let rest = value;
    while (rest >= 999.5 && step < units.length - 1) {
      rest /= 1000;
      step += 1;
    }
    const digits = step === 0 ? firstDigits : rest >= 100 ? 1 : 2;
    return { value: number(rest, digits), unit: units[step] ?? '' };
  };
  return {
    number,
    rate: (kbps) => scaled(kbps, rateUnits, 0),
    bytes: (bytes) => scaled(bytes, byteUnits, 0),
    percent: (value) => ({ value: number(value), unit: '%' }),
    duration: (seconds) => durationText(seconds, isChinese ? '天' : 'd'),
    span: (seconds) => spanText(seconds, isChinese ? chineseUnits : englishUnits),
    dateTime: (time) => dateTime.format(time),
    clock: (time) => clock.format(time),
    relative: (time, now) => relativeText(relative, time - now),
    comma: isChinese ? '、' : ', ',
  };
}

const two = (value: number) => String(value).padStart(2, '0');

export function durationText(seconds: number, day: string): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86_400);
  const clock = `${two(Math.floor(whole / 3600) % 24)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return days > 0 ? `${days} ${day} ${clock}` : clock;
}

const englishUnits = ['d', 'h', 'min', 's'] as const;
const chineseUnits = ['天', '小时', '分', '秒'] as const;

function spanText(seconds: number, units: typeof englishUnits | typeof chineseUnits): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const first = parts.findIndex((part) => part > 0);
  if (first === -1) return `0 ${units[3]}`;
  const shown = parts.map((part, at) => (at === first || (at === first + 1 && part > 0) ? `${part} ${units[at]}` : ''));
  return shown.filter((text) => text !== '').join(' ');
}

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function relativeText(format: Intl.RelativeTimeFormat, difference: number): string {
  for (const [unit, length] of steps) {
    if (Math.abs(difference) >= length) return format.format(Math.trunc(difference / length), unit);
  }
  return format.format(Math.round(difference / 1000), 'second');
}
