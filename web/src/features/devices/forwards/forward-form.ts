/** The form of a port forward: its fields, their conversion to the API, and their checks. */
import { ForwardFields } from '../../../../../daemon/contract/forward-fields.ts';
import { usualForwardAddress } from '../../../../../daemon/contract/forward-states.ts';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { type FieldFaults, faultAt, numberOf } from '../../../ui/form/schema-form.ts';

/** Numbers are kept as text. */
export interface ForwardValues {
  readonly sn: string;
  readonly name: string;
  readonly remotePort: string;
  /** Empty: the hub chooses. */
  readonly localPort: string;
  readonly address: string;
  readonly isPermanent: boolean;
  /** Empty: no limit. */
  readonly idleMinutes: string;
}

/** What the hub allows; undefined until it is loaded. */
export interface ForwardOptions {
  readonly 'usual-ports': readonly number[];
  readonly ports: readonly number[];
  readonly 'own-ports': readonly number[];
}

export function forwardValues(forward: Forward | undefined, sn: string): ForwardValues {
  const text = (value: number) => (value === 0 ? '' : String(value));
  return {
    sn: forward?.sn ?? sn,
    name: forward?.name ?? '',
    remotePort: forward === undefined ? '' : String(forward['remote-port']),
    localPort: text(forward?.['local-port'] ?? 0),
    address: forward?.address ?? usualForwardAddress,
    isPermanent: forward?.['auto-start'] ?? false,
    idleMinutes: text(forward?.['idle-minutes'] ?? limits.forwards.idleMinutes.default),
  };
}

const numberOrZero = (text: string) => (text.trim() === '' ? 0 : numberOf(text));

export function forwardBody(values: ForwardValues) {
  return {
    name: values.name.trim(),
    'remote-port': numberOf(values.remotePort),
    'local-port': numberOrZero(values.localPort),
    address: values.address,
    'auto-start': values.isPermanent,
    'idle-minutes': numberOrZero(values.idleMinutes),
  };
}

const fields = {
  name: 'name',
  'remote-port': 'remotePort',
  'local-port': 'localPort',
  address: 'address',
  'auto-start': 'isPermanent',
  'idle-minutes': 'idleMinutes',
} as const satisfies Record<string, keyof ForwardValues>;

export const forwardField = (path: string): string => (fields as Readonly<Record<string, string>>)[path] ?? path;

/** What the checks look at beside the form. */
export interface Around {
  readonly options: ForwardOptions | undefined;
  /** The other forwards. */
  readonly others: readonly Forward[];
}

/** The fault of the port of the device: only some may be forwarded. */
export function remotePortFault({ remotePort }: ForwardValues, { options }: Around): string | undefined {
  if (remotePort.trim() === '') return 'required';
  const port = numberOf(remotePort);
  const { remotePort: fault } = faultAt('remotePort', ForwardFields['remote-port'], port);
  if (fault !== undefined || options === undefined) return fault;
  return [...options['usual-ports'], ...options.ports].includes(port) ? undefined : 'devicePort';
}

/** The fault of the port of the hub, as far as it is known here: another program may have it, too. */
export function localPortFault({ localPort, address }: ForwardValues, { options, others }: Around): string | undefined {
  const port = numberOrZero(localPort);
  const { localPort: fault } = faultAt('localPort', ForwardFields['local-port'], port);
  if (fault !== undefined || port === 0) return fault;
  const isTaken = others.some((one) => one.address === address && (one.port === port || one['local-port'] === port));
  return isTaken || options?.['own-ports'].includes(port) ? 'occupied' : undefined;
}

export function checkForward(values: ForwardValues, around: Around): FieldFaults {
  const remotePort = remotePortFault(values, around);
  const localPort = localPortFault(values, around);
  const minutes = numberOrZero(values.idleMinutes);
  return {
    ...(values.sn === '' && { sn: 'required' }),
    ...(values.name.trim() !== '' && faultAt('name', ForwardFields.name, values.name.trim())),
    ...(remotePort !== undefined && { remotePort }),
    ...(localPort !== undefined && { localPort }),
    ...faultAt('idleMinutes', ForwardFields['idle-minutes'], minutes),
  };
}

/** Returns the ports of a list with commas or spaces between; undefined if it has anything else in it. */
export function readPorts(text: string): number[] | undefined {
  const ports = text.split(/[\s,;，、]+/).filter(Boolean);
  const numbers = ports.map(numberOf);
  return numbers.every((port) => port >= limits.port.min && port <= limits.port.max) ? numbers : undefined;
}
