/**
 * Reads a pasted list of devices: one per line, `address, user, password, name, certificate`, all but the address
 * optional. The certificate is its SHA-256, also with colons between the bytes, as many programs show it.
 */
import { DeviceAddress, DeviceName, DevicePin } from '../../../../daemon/contract/device-fields.ts';
import { faultAt } from '../../ui/form/schema-form.ts';

export interface ListedDevice {
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly name: string;
  /** Accepted certificate as 64 hexadecimal digits; empty for none. */
  readonly pin: string;
  /** As it was given. */
  readonly line: string;
}

/** Lines of a list. */
const maxDevices = 1000;

export interface ReadList {
  readonly devices: readonly ListedDevice[];
  /** Number of the first line that is wrong, from 1, with the rule that it breaks. */
  readonly fault?: { readonly line: number; readonly rule: string };
}

/** Splits a line at commas, semicolons or tabs; a value in double quotes may contain them. */
function valuesOf(line: string): string[] {
  return [...line.matchAll(/(?:^|[,;\t])\s*(?:"((?:[^"]|"")*)"|([^,;\t"]*))\s*(?=$|[,;\t])/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  );
}

/** A first line that is a header is skipped, as are empty lines and those that begin with `#`. */
export function readDeviceList(text: string): ReadList {
  const devices: ListedDevice[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [address = '', user = '', password = '', name = '', certificate = ''] = valuesOf(line.trim());
    const pin = certificate.replaceAll(/[:\s]/g, '').toLowerCase();
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    // One device, whatever the second line says.
    if (devices.some((one) => one.address === address)) continue;
    if (devices.length === 0 && /^(address|ip|host)$/i.test(address)) continue;
    const faults = {
      ...faultAt('address', DeviceAddress, address),
      ...(name !== '' && faultAt('name', DeviceName, name)),
      ...faultAt('pin', DevicePin, pin),
    };
    const [rule] = Object.values(faults);
    if (rule !== undefined) return { devices, fault: { line: at + 1, rule } };
    devices.push({ address, user, password, name, pin, line });
  }
  if (devices.length > maxDevices) return { devices, fault: { line: maxDevices + 1, rule: `atMost:${maxDevices}` } };
  return { devices };
}
