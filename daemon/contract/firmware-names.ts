/**
 * What the name of a firmware file says about it, and the order of versions. The content of these files is not
 * published; devices check it themselves. Free of schemas, because the console loads it, too.
 */

export interface NamedFirmware {
  readonly productId?: number;
  /** 1: a test build. */
  readonly firmwareId?: number;
  /** A letter from A to Z. */
  readonly hardware?: string;
  /** Two to four numbers, separated by dots. */
  readonly version?: string;
}

export const firmwareEnding = '.mwf';
/** `firmware-id` of a test build; all others are released. */
export const testBuild = 1;
export const versionForm = /^\d{1,5}(?:\.\d{1,5}){1,3}$/;

/** A browser adds `(1)` to the name of a second download. */
const published = /^firmware-(\d{1,5})-(\d{1,9})-([a-z])-(\d{1,5}(?:\.\d{1,5}){1,3})(?: ?\(\d{1,3}\))?\.mwf$/i;
/** The form of the makers' download pages, such as `ultra_encode_aio_gen2_rev_b_2_4_288.mwf`. */
const ofMakers = /_rev_([a-z])_(\d{1,5}(?:_\d{1,5}){1,3})(?: ?\(\d{1,3}\))?\.mwf$/i;
const preRelease = /(?:^|[^a-z])(?:alpha|beta|rc|pre-?release|test)(?:[^a-z]|$)/i;

/** Reads what the name contains; the product only from names of the form `firmware-PRODUCT-ID-HARDWARE-VERSION.mwf`. */
export function readFirmwareName(name: string): NamedFirmware {
  const [, product, id, letter, dotted] = published.exec(name) ?? [];
  if (product !== undefined && letter !== undefined && dotted !== undefined)
    return { productId: Number(product), firmwareId: Number(id), hardware: letter.toUpperCase(), version: dotted };
  const [, rev, parts] = ofMakers.exec(name) ?? [];
  const test = preRelease.test(name) ? { firmwareId: testBuild } : {};
  if (rev === undefined || parts === undefined) return test;
  return { hardware: rev.toUpperCase(), version: parts.replaceAll('_', '.'), ...test };
}

export function firmwareFileName(of: Required<NamedFirmware>): string {
  return `firmware-${of.productId}-${of.firmwareId}-${of.hardware}-${of.version}${firmwareEnding}`;
}

/**
 * Compares up to four numbers of two versions: negative if `a` is lower. A missing number is 0, and so is anything that
 * is not a number, as in `2.4.288-beta`.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 4; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const partsOf = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
