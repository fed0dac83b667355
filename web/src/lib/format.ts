/** Formats numbers, times and amounts for one language. Value and unit are separate, so that columns align. */
export interface Amount {
  readonly value: string;
  readonly unit: string;
}

/** Figures of a connection. Each has one unit and precision, wherever it is shown. */
const measures = {
  'loss-percent': { unit: '%', digits: 2 },
  'rtt-ms': { unit: 'ms', digits: 1 },
  'jitter-ms': { unit: 'ms', digits: 1 },
  'buffer-ms': { unit: 'ms', digits: 0 },
} as const;
export type Measure = keyof typeof measures;

export function isMeasure(figure: string): figure is Measure {
  return Object.hasOwn(measures, figure);
}

export function amountText({ value, unit }: Amount): string {
  return `${value} ${unit}`;
}

export interface Format {
  number: (value: number, digits?: number) => string;
  /** Kilobits per second. */
  rate: (kbps: number) => Amount;
  measure: (measure: Measure, value: number) => Amount;
  /** Labels of an axis, in one unit and with no more decimals than the steps need. */
  ticks: (values: readonly number[], unit: string) => string[];
  /** Likewise for kilobits per second. */
  rateTicks: (kbps: readonly number[]) => string[];
  bytes: (bytes: number) => Amount;
  percent: (value: number) => Amount;
  /** Seconds as `d hh:mm:ss`. */
  duration: (seconds: number) => string;
  /** Seconds in words, with the two largest units: `1 min 20 s`. */
  span: (seconds: number) => string;
  /** Milliseconds since 1970; in a time zone, by default that of the browser. */
  dateTime: (time: number, zone?: string) => string;
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
  const inZone = (timeZone?: string) =>
    new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', ...(timeZone && { timeZone }) });
  const dateTime = inZone();
  const clock = new Intl.DateTimeFormat(tag, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const scaled = (value: number, units: readonly string[]): Amount => {
    const step = stepOf(value, units);
    return { value: number(value / 1000 ** step, step === 0 ? 0 : 2), unit: units[step] ?? '' };
  };
  const ticks = (values: readonly number[], unit: string) => {
    const digits = tickDigits(values);
    return values.map((value) => amountText({ value: number(value, digits), unit }));
  };
  return {
    number,
    rate: (kbps) => scaled(kbps, rateUnits),
    measure: (measure, value) => {
      const { unit, digits } = measures[measure];
      return { value: number(value, digits), unit };
    },
    ticks,
    rateTicks: (kbps) => {
      const step = stepOf(Math.max(...kbps), rateUnits);
      return ticks(
        kbps.map((value) => value / 1000 ** step),
        rateUnits[step] ?? '',
      );
    },
    bytes: (bytes) => scaled(bytes, byteUnits),
    percent: (value) => ({ value: number(value), unit: '%' }),
    duration: (seconds) => durationText(seconds, isChinese ? '天' : 'd'),
    span: (seconds) => spanText(seconds, isChinese ? chineseUnits : englishUnits),
    dateTime: (time, zone) => (zone === undefined ? dateTime : inZone(zone)).format(time),
    clock: (time) => clock.format(time),
    relative: (time, now) => {
      const text = relativeText(relative, time - now);
      return isChinese ? text.replace(besideDigit, ' ') : text;
    },
    comma: isChinese ? '、' : ', ',
  };
}

/** How often a value is divided by a thousand so that it never shows as a thousand of a unit. */
function stepOf(value: number, units: readonly string[]): number {
  const step = units.findIndex((_, at) => value / 1000 ** at < 999.5);
  return step < 0 ? units.length - 1 : step;
}

function tickDigits(values: readonly number[]): number {
  const isWhole = (factor: number) =>
    values.every((value) => Math.abs(value * factor - Math.round(value * factor)) < 1e-6);
  return isWhole(1) ? 0 : isWhole(10) ? 1 : 2;
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

/** Chinese text has a space beside digits; `Intl` leaves it out. */
const besideDigit = /(?<=\d)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\d)/gu;

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
