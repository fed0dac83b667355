/** Rows of devices of the API `v1`, which state neither their serial number nor their name. */
import { readDeviceAddress, v1Port } from '../../contract/device-fields.ts';
import type { NewDevice } from '../../contract/devices.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Secrets } from '../../store/secrets.ts';

/** The address with scheme and port. */
export function oscAddress(address: string): string {
  const read = readDeviceAddress(address);
  if (read === undefined) return address;
  const { scheme = 'http', host, port = v1Port } = read;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host.toLowerCase()}:${port}`;
}

/** Returns the serial number of such a device, which follows from its first address and the key of the hub. */
export function oscSerial(secrets: Pick<Secrets, 'derive'>, address: string): string {
  const digits = secrets.derive(`device v1 ${address}`).toString('hex').slice(0, 16).toUpperCase();
  return `V${digits}`;
}

/** Its name, if none is given. */
export const oscName = (address: string): string => readDeviceAddress(address)?.host ?? address;

/** The API has no login and no pictures. */
export function refuseLogin({ user, password, snapshot }: Pick<NewDevice, 'user' | 'password' | 'snapshot'>): void {
  if (snapshot !== undefined) throw fieldError('snapshot', 'unsupported', 'only available for streams');
  if (user) throw fieldError('user', 'unsupported', 'the API of the device has no login');
  if (password) throw fieldError('password', 'unsupported', 'the API of the device has no login');
}
