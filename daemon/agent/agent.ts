/** Registers devices with a hub and carries the hub's connections to them, until it is told to stop. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceIdentity } from '../contract/device-facts.ts';
import type { DevicePorts } from '../devices/ports.ts';
import { CertificateProblem, DeviceProblem } from '../devices/problem.ts';
import { replaceFile } from '../lib/durable-file.ts';
import { type DialState, dialLink } from '../link/dial.ts';
import type { OwnClaim } from '../link/handshake.ts';
import { openIdentity } from '../link/identity.ts';
import type { PortPlace } from '../link/local-ports.ts';
import { timing } from '../timing.ts';
import type { AgentDevice, AgentOptions } from './arguments.ts';
import { carrySecurely } from './secure-port.ts';

interface AgentDeps {
  readonly identify: DevicePorts['identify'];
  /** Shows a line to the user. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The serial number is a file name here, and the hub's protocol allows no others either. */
const usableSerial = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The folder protects the keys. */
const unsealed = { seal: (clear: string) => clear, open: (stored: string) => stored };
const [httpPort, httpsPort] = [80, 443];

/** Resolves when `signal` has ended it, or when no device is left. */
export async function runAgent(options: AgentOptions, deps: AgentDeps): Promise<void> {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const hubKeys = openHubKeys(join(options.stateDir, 'hubs.json'));
  await Promise.all(
    options.devices.map(async (device) => {
      try {
        await runDevice(device, { ...options, ...deps, hubKeys });
      } catch (error) {
        deps.say(`${device.url}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
}

type Shared = AgentOptions & AgentDeps & { readonly hubKeys: ReturnType<typeof openHubKeys> };

/** Resolves when `signal` has ended it, or if it is of no use to continue. */
async function runDevice(device: AgentDevice, shared: Shared): Promise<void> {
  const { say, signal, hub, hubKeys } = shared;
  const found = await identified(device, shared);
  if (found === undefined) return;
  const { identity } = found;
  const { sn, name } = identity;
  if (!usableSerial.test(sn)) {
    say(`${device.url}: the device reports no valid serial number`);
    return;
  }
  say(`${device.url}: found ${name || identity.model}, serial number ${sn}`);
  const allowed = new Set([httpPort, httpsPort, ...shared.ports]);
  const deleted = new AbortController();
  let shown = '';
  let refused = '';
  const noteCertificate = ({ fingerprint }: CertificateProblem) => {
    if (refused !== fingerprint)
      say(`${sn}: the device shows another certificate; to accept it, ${acceptText(fingerprint)}`);
    refused = fingerprint;
  };
  await dialLink({
    url: shared.url,
    identity: openIdentity(join(shared.stateDir, `${sn}.key`), unsealed),
    claim: () => claimOf(identity, device, shared.code),
    hubKey: shared.hubKey ?? hubKeys.of(hub),
    allowsPort: (port) => allowed.has(port),
    placeOf: (port) => placeOf(port, device, found.pin, noteCertificate),
    signal: AbortSignal.any([signal, deleted.signal]),
    onState(state) {
      // Only the user replaces the key of a hub that is known.
      const isTrusted = shared.hubKey !== undefined || hubKeys.of(hub) === undefined;
      if ('hubKey' in state && isTrusted) hubKeys.note(hub, state.hubKey);
      const line = textOf(state, hub);
      if (line !== undefined && line !== shown) say(`${sn}: ${line}`);
      shown = line ?? shown;
      // It would apply again by itself otherwise.
      if (state.name === 'deleted') deleted.abort();
    },
  });
}

/** Tries again until the device answers. Returns undefined if that is of no use. */
async function identified(
  device: AgentDevice,
  shared: Shared,
): Promise<{ readonly identity: DeviceIdentity; readonly pin: string | undefined } | undefined> {
  const { say, signal } = shared;
  let shown = '';
  let pin: string | undefined;
  while (!signal.aborted) {
    try {
      const host = device.host.includes(':') ? `[${device.host}]` : device.host;
      const address = `${device.scheme}://${host}:${device.port}`;
      return { identity: (await shared.identify(address, device.credentials, pin)).identity, pin };
    } catch (error) {
      if (!(error instanceof DeviceProblem)) throw error;
      if (error instanceof CertificateProblem) {
        const { fingerprint } = error;
        if (pin !== fingerprint && shared.certificates.includes(fingerprint)) {
          pin = fingerprint;
          continue;
        }
        say(
          `${device.url}: no authority has signed the certificate of the device; to accept it, ${acceptText(fingerprint)}`,
        );
        return undefined;
      }
      // A device locks the account after a few attempts.
      const isFinal = error.word === 'wrongPassword';
      const line = `${device.url}: ${error.message}`;
      if (line !== shown) say(isFinal ? `${line}; give its user and password` : `${line}; it is tried again`);
      shown = line;
      if (isFinal) return undefined;
    }
    await passed(timing.agent.identifyAgainMs, signal);
  }
  return undefined;
}

const acceptText = (fingerprint: string) => `start the agent with --certificate ${fingerprint}`;

/** Where a port that the hub asks for is found. Port 80 is the web server of the device, whatever it speaks. */
function placeOf(
  port: number,
  { scheme, host, port: own }: AgentDevice,
  pin: string | undefined,
  onFault: (fault: CertificateProblem) => void,
): PortPlace {
  if (port === httpPort && scheme === 'https') {
    const server = { host, port: own, ...(pin !== undefined && { fingerprint: pin }) };
    return { carry: (stream) => void carrySecurely(stream, server, onFault) };
  }
  return { hostname: host, port: port === { http: httpPort, https: httpsPort }[scheme] ? own : port };
}

function claimOf(identity: DeviceIdentity, { credentials }: AgentDevice, code: string): OwnClaim {
  return {
    role: 'device',
    serial: identity.sn,
    details: {
      ...{ invitationCode: code, name: identity.name, model: identity.model, api: identity.api },
      productId: String(identity['product-id']),
      ...{ hardwareVersion: identity['hardware-ver'], firmwareVersion: identity['firmware-ver'] },
      ...credentials,
    },
  };
}

/** Returns undefined for what needs no line. */
function textOf(state: DialState, hub: string): string | undefined {
  switch (state.name) {
    case 'connecting':
    case 'registering':
      return undefined;
    case 'accepted':
      return `connected with ${hub} (key ${state.hubKey})`;
    case 'waiting':
      return `waits until an administrator of ${hub} approves it`;
    case 'refused':
      return 'was rejected on the hub';
    case 'deleted':
      return 'was deleted on the hub; start the agent again to apply again';
    case 'exists':
      return 'the hub knows another device with this serial number, or this one with another agent: delete it there first';
    case 'wrongCode':
      return 'the invitation code is wrong';
    case 'illegal':
      return 'the hub does not accept what the device states about itself';
    case 'retrying':
      return retryText(state);
  }
}

function retryText({ code, message, inMs }: Extract<DialState, { name: 'retrying' }>): string {
  const seconds = Math.ceil(inMs / 1000);
  const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return code === 'refused'
    ? `not connected; the next attempt is in ${time}`
    : `not connected (${message || code}); the next attempt is in ${time}`;
}

/** The keys of hubs that answered before, by host and port. */
function openHubKeys(file: string) {
  let keys: Readonly<Record<string, string>> = {};
  try {
    keys = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`${file} can't be read: ${String(error)}`);
  }
  return {
    of: (hub: string): string | undefined => keys[hub],
    note(hub: string, key: string): void {
      if (keys[hub] === key) return;
      keys = { ...keys, [hub]: key };
      replaceFile(file, `${JSON.stringify(keys)}\n`);
    },
  };
}

function passed(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', end));
}
