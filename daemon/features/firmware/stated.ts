/** What a firmware file is for, by its name and by what the caller states. Pure. */
import type { FirmwareInfo, StatedFirmware } from '../../contract/firmware.ts';
import { compareVersions, firmwareEnding, readFirmwareName, testBuild } from '../../contract/firmware-names.ts';
import type { FieldFault } from '../../contract/result.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';

/** What is known of a file besides its content. */
export interface FirmwareTarget {
  readonly productId: number;
  readonly hardware: string;
  readonly version: string;
  /** 1: a test build. */
  readonly firmwareId: number;
}

const members = {
  productId: 'product-id',
  hardware: 'hardware-ver',
  version: 'version',
  firmwareId: 'firmware-id',
} as const;

/**
 * Returns what the file is for. Throws if its name is not that of a firmware file, if something is neither in the name
 * nor stated, if both differ, or if it is a pre-release whose declaration is not accepted.
 */
export function targetOf(name: string, stated: StatedFirmware): FirmwareTarget {
  refuseOtherFile(name);
  const named = readFirmwareName(name);
  const own = {
    productId: stated['product-id'],
    hardware: stated['hardware-ver']?.toUpperCase(),
    version: stated.version && withoutZeros(stated.version),
    firmwareId: stated['firmware-id'],
  };
  const all = { firmwareId: 0, ...definedOf(own), ...named };
  const faults = (Object.keys(members) as (keyof typeof members)[]).flatMap((key): FieldFault[] => {
    const path = members[key];
    if (all[key] === undefined) {
      return [{ path, rule: 'required', message: `${path}: needed, because the name of the file does not contain it` }];
    }
    if (own[key] === undefined || isSame(own[key], all[key])) return [];
    const message = `${path}: ${own[key]}, but the name of the file contains ${all[key]}`;
    return [{ path, rule: 'otherName', message, params: { value: String(all[key]) } }];
  });
  if (faults.length > 0) {
    throw new HubError('invalidArgument', faults.map(({ message }) => message).join('; '), { fields: faults });
  }
  const target = { ...all, version: withoutZeros(all.version ?? '') } as FirmwareTarget;
  if (isPreRelease(target) && stated['accept-pre-release'] !== true) {
    const message = 'this is a pre-release (test build); send true to accept that it may be incomplete or fail';
    throw fieldError('accept-pre-release', 'preRelease', message);
  }
  return target;
}

export function refuseOtherFile(name: string): void {
  if (name.toLowerCase().endsWith(firmwareEnding)) return;
  const message = `name: the name of a firmware file ends in ${firmwareEnding}`;
  throw new HubError('fileTypeError', message, { fields: [{ path: 'name', rule: 'firmwareName', message }] });
}

export const isPreRelease = ({ firmwareId }: Pick<FirmwareTarget, 'firmwareId'>): boolean => firmwareId === testBuild;

/** What the name alone says, as the published upload answers it. */
export function infoOf(name: string): FirmwareInfo {
  const { productId, firmwareId, hardware, version } = readFirmwareName(name);
  return {
    ...(productId !== undefined && { 'product-id': productId }),
    ...(firmwareId !== undefined && { 'firmware-id': firmwareId }),
    ...(hardware !== undefined && { 'hardware-ver': hardware }),
    ...(version !== undefined && { version, ...numbersOf(version) }),
    'is-pre-release': firmwareId === testBuild,
  };
}

export function numbersOf(version: string) {
  const [major = 0, minor = 0, build = 0] = version.split('.').map(Number);
  return { 'marjor-ver': major, 'minor-ver': minor, 'build-number': build };
}

/** 02.4.288 is 2.4.288. */
const withoutZeros = (version: string) => version.split('.').map(Number).join('.');

/** 2.4 and 2.4.0 are one version. */
function isSame(own: string | number, named: string | number): boolean {
  if (own === named) return true;
  return typeof own === 'string' && typeof named === 'string' && own.includes('.') && compareVersions(own, named) === 0;
}

function definedOf<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
