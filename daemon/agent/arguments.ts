/** The arguments of the agent. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDeviceAddress } from '../contract/device-fields.ts';
import { limits } from '../contract/limits.ts';
import type { Credentials } from '../devices/driver.ts';
import { ConfigError } from '../lib/config-error.ts';

export interface AgentDevice {
  /** As given, for messages. */
  readonly url: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Of its web server. */
  readonly port: number;
  readonly credentials: Credentials;
}

export interface AgentOptions {
  /** Host and port, for the file of hub keys. */
  readonly hub: string;
  /** Of the hub's link. */
  readonly url: string;
  readonly code: string;
  /** Undefined trusts the first hub that answers. */
  readonly hubKey: string | undefined;
  readonly devices: readonly AgentDevice[];
  /** SHA-256 of certificates of devices that are accepted though no authority has signed them. */
  readonly certificates: readonly string[];
  /** Beside 80, which is the port of the device's URL, and 443. */
  readonly ports: readonly number[];
  readonly stateDir: string;
}

export const usualHubPort = 8070;
const maxDevices = 64;
const usualUser = 'Admin';
const usualPorts = { http: 80, https: 443 } as const;

/** Throws ConfigError for arguments that cannot be used. */
export function readArguments(args: string[], env: Readonly<Record<string, string | undefined>>): AgentOptions {
  const { values } = parseArgs({
    args,
    options: {
      hub: { type: 'string' },
      code: { type: 'string', default: '' },
      'hub-key': { type: 'string' },
      device: { type: 'string', multiple: true, default: [] },
      user: { type: 'string', multiple: true, default: [usualUser] },
      'password-file': { type: 'string', multiple: true, default: [] },
      certificate: { type: 'string', multiple: true, default: [] },
      port: { type: 'string', multiple: true, default: [] },
      state: { type: 'string' },
      insecure: { type: 'boolean', default: false },
    },
  });
  if (values.hub === undefined) throw new ConfigError('--hub: name the hub, such as hub.example:8070');
  if (values.device.length === 0) throw new ConfigError('--device: name at least one, such as http://192.168.1.20');
  if (values.device.length > maxDevices) throw new ConfigError(`--device: at most ${maxDevices}`);
  if (!/^(|\d{4})$/.test(values.code)) throw new ConfigError('--code: the invitation code has four digits');
  const hubKey = values['hub-key'];
  if (hubKey !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(hubKey)) throw new ConfigError('--hub-key: 43 characters');
  const hub = hubPlace(values.hub);
  const count = values.device.length;
  const user = perDevice('--user', values.user, count);
  const file = perDevice('--password-file', values['password-file'], count);
  return {
    ...{ hub, url: `${values.insecure ? 'ws' : 'wss'}://${hub}/link`, code: values.code, hubKey },
    certificates: values.certificate.map(fingerprintOf),
    ports: values.port.map((text) => portOf('--port', text)),
    stateDir: resolve(values.state ?? stateFolder(env)),
    devices: values.device.map((url, index) => ({
      ...{ url, ...devicePlace(url) },
      credentials: loginOf(user(index) ?? usualUser, passwordIn(file(index))),
    })),
  };
}

/** One value for all devices, or one for each, in the same order. */
function perDevice(name: string, values: readonly string[], count: number) {
  if (values.length > 1 && values.length !== count) {
    throw new ConfigError(`${name}: give one for all devices, or one for each of the ${count} in their order`);
  }
  return (index: number): string | undefined => (values.length === 1 ? values[0] : values[index]);
}

function hubPlace(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined;
  if (url === undefined || text.includes('/') || text.includes('@') || url.hostname === '') {
    throw new ConfigError(`--hub is "${text}": give a host name or address, and the port if it is not ${usualHubPort}`);
  }
  // A URL drops the usual port of its scheme.
  const port = url.port === '' && !/:0*80$/.test(text) ? String(usualHubPort) : url.port || '80';
  return `${url.hostname}:${port}`;
}

function devicePlace(text: string) {
  const address = readDeviceAddress(text);
  if (address === undefined) {
    throw new ConfigError(`--device is "${text}": give the web address of the device, such as http://192.168.1.20`);
  }
  const { scheme = 'http', host, port = usualPorts[scheme] } = address;
  return { scheme, host, port };
}

/** As the agent shows it, or with colons, as browsers and OpenSSL do. */
function fingerprintOf(text: string): string {
  const digits = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(digits)) throw new ConfigError('--certificate: a SHA-256 has 64 hexadecimal digits');
  return digits;
}

function portOf(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > limits.port.max) throw new ConfigError(`${name} is "${text}": a port is 1 to 65535`);
  return port;
}

function loginOf(user: string, password: string): Credentials {
  const { user: longestUser, password: longest } = limits.deviceLogin;
  if (user.length > longestUser) throw new ConfigError(`--user: at most ${longestUser} characters`);
  if (password.length > longest) throw new ConfigError(`--password-file: a password has at most ${longest} characters`);
  return { user, password };
}

/** An argument would show the password to every user of the machine. */
function passwordIn(file: string | undefined): string {
  if (file === undefined) return '';
  try {
    const [line = ''] = readFileSync(file, 'utf8').split(/\r?\n/);
    return line;
  } catch (error) {
    throw new ConfigError(`--password-file: ${file} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** That of the systemd unit, else of the user. */
function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const [ofUnit] = (env.STATE_DIRECTORY ?? '').split(':');
  return ofUnit || join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'signalbox-agent');
}
