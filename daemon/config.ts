/** Settings from the environment as a table: the source of the help text, the README's table and the checks. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { limits } from './contract/limits.ts';
import { isHost, Password } from './contract/rules.ts';

import { featureBits, usualFeatures } from './contract/variant.ts';
import { isAddressRange } from './lib/address-ranges.ts';
import { ConfigError } from './lib/config-error.ts';
import { installLayout } from './lib/install-layout.ts';
import { type LogLevel, logLevels } from './lib/log.ts';
import { readTimeDivisor, timeDivisorName, timeDivisorRule } from './timing.ts';

interface Variable<T> {
  readonly name: `SIGNALBOX_${string}`;
  /** The default; a sentence if there is no single value. */
  readonly fallback: string;
  readonly meaning: string;
  /** Returns the value, or the rule that was broken. */
  read(text: string | undefined): { readonly value: T } | { readonly rule: string };
  /** Never shown in messages. */
  readonly isSecret?: true;
}

const portRule = `a port is a whole number from 1 to ${limits.port.max}, or 0 for any free one`;

function readPort<T>(text: string | undefined, fallback: T): { value: number | T } | { rule: string } {
  if (text === undefined) return { value: fallback };
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= limits.port.max ? { value: port } : { rule: portRule };
}

function port(name: Variable<number>['name'], fallback: number, meaning: string): Variable<number> {
  return { name, fallback: String(fallback), meaning, read: (text) => readPort(text, fallback) };
}

const consolePorts = 8;
/** A range of ports, or one; 0: any free ones. */
function readPorts(text: string): { value: readonly number[] } | { rule: string } {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (text === '0') return { value: Array(consolePorts).fill(0) };
  const isRange = from >= 1 && from <= to && to <= limits.port.max && to - from < maxConsolePorts;
  const rule = `a port, or a range of at most ${maxConsolePorts} such as 8071-8078, or 0 for any free ones`;
  return isRange ? { value: Array.from({ length: to - from + 1 }, (_, index) => from + index) } : { rule };
}
const maxConsolePorts = 32;

function count(name: Variable<number>['name'], max: number, meaning: string): Variable<number> {
  return {
    name,
    fallback: String(max),
    meaning,
    read: (text = String(max)) => {
      const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
      return value >= 0 && value <= max ? { value } : { rule: `a whole number from 0 to ${max}` };
    },
  };
}

const featureNames: Readonly<Record<string, number>> = {
  'ndi-router': featureBits.ndiRouter,
  ...{ ndi: featureBits.ndi, devices: featureBits.devices },
};

export const variables = {
  dataDir: {
    name: 'SIGNALBOX_DATA_DIR',
    fallback: 'see below',
    meaning: 'Folder of the database, keys and logs',
    read: (text = installLayout.dataDir) => ({ value: resolve(text) }),
  } satisfies Variable<string>,
  bind: {
    name: 'SIGNALBOX_BIND',
    fallback: '0.0.0.0',
    meaning: 'Address of this machine that all ports are opened on',
    read: (text = '0.0.0.0') => (isIP(text) ? { value: text } : { rule: 'give an IP address of this machine' }),
  } satisfies Variable<string>,
  hosts: {
    name: 'SIGNALBOX_HOSTS',
    fallback: 'none',
    meaning: 'Public names that the console is opened by, with commas between; addresses and local names always work',
    read(text = 'none') {
      const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
      return names.every(isHost) ? { value: names } : { rule: 'host names with commas between' };
    },
  } satisfies Variable<readonly string[]>,
  trustedProxies: {
    name: 'SIGNALBOX_TRUSTED_PROXIES',
    fallback: 'none',
    meaning: 'Proxies whose X-Forwarded-For and -Proto are believed: addresses and CIDR ranges, with commas between',
    read(text = 'none') {
      const ranges = text === 'none' ? [] : text.split(',').map((range) => range.trim());
      const rule = 'IP addresses and CIDR ranges such as 10.0.0.0/8, with commas between';
      return ranges.every(isAddressRange) ? { value: ranges } : { rule };
    },
  } satisfies Variable<readonly string[]>,
  httpPort: port('SIGNALBOX_HTTP_PORT', 8880, 'Console and API'),
  httpsPort: {
    name: 'SIGNALBOX_HTTPS_PORT',
    fallback: String(limits.httpsPort.default),
    meaning: 'Console and API over TLS, with a certificate that the hub makes if there is none; off for HTTP alone',
    read: (text) => (text === 'off' ? { value: null } : readPort(text, limits.httpsPort.default)),
  } satisfies Variable<number | null>,
  rtmpPort: port('SIGNALBOX_RTMP_PORT', 1935, 'RTMP: encoders push, players play'),
  srtPort: port('SIGNALBOX_SRT_PORT', 8000, 'SRT: encoders push, players play (UDP)'),
  hlsPort: port('SIGNALBOX_HLS_PORT', 8080, 'HLS and HTTP-TS: players play'),
  linkPort: port('SIGNALBOX_LINK_PORT', 8070, 'Devices register here'),
  consolePorts: {
    name: 'SIGNALBOX_CONSOLE_PORT',
    fallback: '8071-8078',
    meaning: 'Web pages of devices; a browser shows one device at each port',
    read: (text = '8071-8078') => readPorts(text),
  } satisfies Variable<readonly number[]>,
  licenseChannels: count('SIGNALBOX_LICENSE_CHANNELS', limits.channels, 'Channels that may be on at a time'),
  licenseOutputs: count('SIGNALBOX_LICENSE_OUTPUTS', limits.outputs, 'Outputs that may be on at a time'),
  licenseSrt: count(
    'SIGNALBOX_LICENSE_SRT',
    limits.inputs + limits.outputs,
    'SRT inputs and outputs that may be in use at a time',
  ),
  licenseDevices: count('SIGNALBOX_LICENSE_DEVICES', limits.devices, 'Devices that may be accepted'),
  variant: {
    name: 'SIGNALBOX_VARIANT',
    fallback: 'standard',
    meaning: 'What the hub is: hardware (an appliance that runs its own network) or standard',
    read(text = 'standard') {
      const value = (['hardware', 'standard'] as const).find((one) => one === text);
      return value ? { value } : { rule: 'choose hardware or standard' };
    },
  } satisfies Variable<'hardware' | 'standard'>,
  features: {
    name: 'SIGNALBOX_FEATURES',
    fallback: 'devices',
    meaning: 'Features of the hub, with commas between: devices, ndi-router, ndi; or none',
    read(text) {
      if (text === undefined) return { value: usualFeatures };
      if (text === 'none') return { value: 0 };
      const bits = text.split(',').map((name) => featureNames[name]);
      const rule = `names with commas between, of ${Object.keys(featureNames).join(', ')}, or none`;
      return bits.includes(undefined) ? { rule } : { value: bits.reduce<number>((mask, bit) => mask | (bit ?? 0), 0) };
    },
  } satisfies Variable<number>,
  adminPassword: {
    name: 'SIGNALBOX_ADMIN_PASSWORD',
    fallback: 'chosen on the set-up page',
    meaning: 'First start only: password of the root user Admin',
    read: (text = '') => {
      const isUsable = text === '' || Password.safeParse(text).success;
      const { min, max } = limits.password;
      return isUsable ? { value: text } : { rule: `${min} to ${max} characters, without a space at either end` };
    },
    isSecret: true,
  } satisfies Variable<string>,
  logLevel: {
    name: 'SIGNALBOX_LOG',
    fallback: 'info',
    meaning: `Level of the log: ${logLevels.join(', ')}`,
    read: (text = 'info') => {
      const value = logLevels.find((level) => level === text);
      return value ? { value } : { rule: `choose one of ${logLevels.join(', ')}` };
    },
  } satisfies Variable<LogLevel>,
  engine: {
    name: 'SIGNALBOX_ENGINE',
    fallback: 'hub',
    meaning: 'Who starts the media engine: the hub, or a unit of its own, which continues when the hub stops',
    read: (text = 'hub') => (text === 'hub' || text === 'unit' ? { value: text } : { rule: 'one of hub, unit' }),
  } satisfies Variable<'hub' | 'unit'>,
  helperSocket: {
    name: 'SIGNALBOX_HELPER_SOCKET',
    fallback: '/run/signalbox/helper.sock',
    meaning: 'Appliance: the socket of its helper, which does what only root may do',
    read: (text = '/run/signalbox/helper.sock') => ({ value: resolve(text) }),
  } satisfies Variable<string>,
  ffmpeg: {
    name: 'SIGNALBOX_FFMPEG',
    fallback: 'ffmpeg',
    meaning: 'The FFmpeg program, as a path or a name on the PATH',
    read: (text = 'ffmpeg') => ({ value: text }),
  } satisfies Variable<string>,
  timeDivisor: {
    name: timeDivisorName,
    fallback: '1',
    meaning: 'For tests only: divides waiting times of a second or more, down to a minimum for each',
    read(text) {
      const value = readTimeDivisor(text);
      return value === undefined ? { rule: timeDivisorRule } : { value };
    },
  } satisfies Variable<number>,
} as const;

type Read<V> = V extends { read(text: string | undefined): infer R } ? Extract<R, { value: unknown }>['value'] : never;
export type Config = { readonly [K in keyof typeof variables]: Read<(typeof variables)[K]> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a ConfigError for the first variable that breaks its rule. An empty variable counts as not set. */
export function readConfig(env: Environment): Config {
  const entries = Object.entries(variables as Record<string, Variable<unknown>>).map(([key, variable]) => {
    const text = env[variable.name] || undefined;
    const outcome = variable.read(text);
    if ('value' in outcome) return [key, outcome.value];
    const shown = variable.isSecret ? '' : ` is "${text}"`;
    throw new ConfigError(`${variable.name}${shown}: ${outcome.rule}`);
  });
  return Object.fromEntries(entries) as Config;
}

/** Returns names that look like settings but are not, such as those of an earlier version. Ignores test variables. */
export function unknownVariables(env: Environment): string[] {
  const known = new Set<string>(Object.values(variables).map(({ name }) => name));
  return Object.keys(env).filter((name) => /^SIGNALBOX_(?!TEST_)/.test(name) && !known.has(name));
}

/** One line per variable, for `--help`. */
export function describeVariables(): string {
  const rows = Object.values(variables).map(({ name, fallback, meaning }) => [name, fallback, meaning] as const);
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  return rows
    .map(([name, fallback, meaning]) => `  ${name.padEnd(width(0))}  ${fallback.padEnd(width(1))}  ${meaning}`)
    .join('\n');
}
