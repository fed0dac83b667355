/** What must be asked about a file before it is sent. Pure. */
import type { Firmware, FirmwareProduct } from '../../../../../daemon/contract/firmware.ts';
import {
  compareVersions,
  firmwareEnding,
  type NamedFirmware,
  readFirmwareName,
  testBuild,
} from '../../../../../daemon/contract/firmware-names.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';

/** Why a file cannot be sent at all. */
export type FileFault = 'otherType' | 'empty' | 'tooLarge';

export function faultOfFile({ name, size }: Pick<File, 'name' | 'size'>): FileFault | undefined {
  if (!name.toLowerCase().endsWith(firmwareEnding)) return 'otherType';
  if (size === 0) return 'empty';
  return size > limits.firmware.maxBytes ? 'tooLarge' : undefined;
}

/** Whether the name says everything, it is a release, and the library has no other file of its version. */
export function needsNoAnswer(name: string, list: readonly Firmware[]): boolean {
  const { productId, hardware, version, firmwareId } = readFirmwareName(name);
  if (productId === undefined || hardware === undefined || version === undefined) return false;
  return firmwareId !== testBuild && sameVersion(list, { productId, hardware, version }) === undefined;
}

/** The file of the library that another one for the same product, hardware and version would replace. */
export function sameVersion(
  list: readonly Firmware[],
  { productId, hardware, version = '' }: NamedFirmware,
): Firmware | undefined {
  return list.find(
    (one) =>
      one['product-id'] === productId &&
      one['hardware-ver'] === hardware?.toUpperCase() &&
      compareVersions(one.version, version) === 0,
  );
}

/** The product whose model the name begins with: `ultra_encode_aio_gen2_rev_b_2_4_288.mwf` is for an Ultra Encode AIO. */
export function productOfName(name: string, products: readonly FirmwareProduct[]): FirmwareProduct | undefined {
  const plain = plainText(name);
  const found = products.filter((one) => one.name !== '' && plain.startsWith(plainText(one.name)));
  return found.toSorted((a, b) => b.name.length - a.name.length)[0];
}

const plainText = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
