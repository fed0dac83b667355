/**
 * Families, products and capabilities of devices: one table for the drivers, the API and the console. Free of schemas,
 * because the console's menu and dashboard load it. Sources: the published family ids and product ids, and the rules of
 * the specification, section 3.
 */

/** Published ids of the families, `module` of a device. */
export const families = {
  ultraStream: 1,
  ultraEncode: 2,
  proConvertEncoder: 3,
  proConvertDecoder: 4,
  proConvertAudio: 5,
  usbFusion: 6,
  director: 7,
  xmit: 8,
  modator: 9,
  router: 10,
  others: 254,
  thirdParty: 4278190080,
} as const;
export type Family = keyof typeof families;

export function familyOf(module: number): Family {
  const found = (Object.keys(families) as Family[]).find((name) => families[name] === module);
  return found ?? 'others';
}

/** The generations of HTTP APIs, each with a driver of the same name, and the two drivers for other makes. */
export const deviceApis = ['usapi', 'mwapi', 'apiPath', 'mwapiPath', 'v1', 'onvif', 'stream'] as const;
export type DeviceApi = (typeof deviceApis)[number];

/** What the driver of an API can tell devices: where to send, or what to play. */
const directionOfApi: Readonly<Partial<Record<DeviceApi, DeviceDirection>>> = {
  usapi: 'input',
  mwapi: 'output',
  apiPath: 'output',
  onvif: 'input',
  stream: 'input',
};

/** The hub opens the streams of these devices itself, instead of telling them where to send. */
const pulledApis: ReadonlySet<DeviceApi> = new Set(['onvif', 'stream']);

export const isPulled = (api: DeviceApi): boolean => pulledApis.has(api);

interface ProductRange {
  readonly from: number;
  readonly to: number;
  readonly family: Family;
}

const product = (from: number, family: Family, to = from): ProductRange => ({ from, to, family });

/** The first range that contains the id decides. */
const products: readonly ProductRange[] = [
  product(560, 'proConvertDecoder'),
  product(769, 'ultraStream', 770),
  product(772, 'ultraEncode', 773),
  product(785, 'ultraEncode', 787),
  product(789, 'ultraEncode', 790),
  product(805, 'thirdParty', 806),
  product(1025, 'proConvertEncoder', 1033),
  product(1060, 'proConvertAudio'),
  product(1062, 'proConvertAudio'),
  product(1072, 'xmit'),
  product(1040, 'proConvertDecoder', 1091),
  product(1104, 'thirdParty'),
  product(1286, 'usbFusion'),
  ...[1297, 1305, 1318, 1320].map((id) => product(id, 'director')),
  product(1314, 'modator'),
  product(1537, 'router', 1538),
  product(1793, 'xmit'),
];

export function familyOfProduct(productId: number): Family {
  return products.find(({ from, to }) => productId >= from && productId <= to)?.family ?? 'others';
}

export interface SerialParts {
  readonly hardwareVersion: string;
  readonly productId: number;
}

/**
 * Reads hardware letter and product id from a serial number of the known makers: a letter, three hexadecimal digits,
 * the date as YYMMDD, a number of three digits. Returns undefined for serial numbers of another form.
 */
export function serialParts(sn: string): SerialParts | undefined {
  const match = /^([A-Z])([0-9A-F]{3})\d{9}$/.exec(sn);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { hardwareVersion: match[1], productId: Number.parseInt(match[2], 16) };
}

/** Product id of the model T450, whose rules differ from those of its family. */
export const t450 = 806;

/** `none`: managed only, part of no channel. */
export type DeviceDirection = 'none' | 'input' | 'output' | 'both';

export interface Capabilities {
  readonly record: boolean;
  readonly live: boolean;
  readonly upgrade: boolean;
  /** Whether the hub may act on the device at all; what it can do then is up to its driver. */
  readonly interact: boolean;
  /** Whether protocol, latency and buffer of its connection to the hub can be configured. */
  readonly connectionConfig: boolean;
  readonly wifi: boolean;
  readonly direction: DeviceDirection;
}

/** What decides the capabilities of a device. */
export interface ProductFacts {
  readonly family: Family;
  readonly productId: number;
  /** Name of the model as the device states it, such as "Ultra Encode AIO". */
  readonly model: string;
  readonly api: DeviceApi;
}

/** As what the hub can set up a device for a channel. What an audio converter receives is not set by a published call. */
export function connectableAs(facts: ProductFacts): 'none' | 'input' | 'output' {
  const { direction } = capabilitiesOf(facts);
  const told = directionOfApi[facts.api] ?? 'none';
  if (told === 'none' || told === 'both' || facts.family === 'proConvertAudio') return 'none';
  return direction === 'both' || direction === told ? told : 'none';
}

const recordingModels = /\b(AIO|HDMI Plus|SDI Plus)$/i;
const directionOfFamily: Readonly<Partial<Record<Family, DeviceDirection>>> = {
  ultraStream: 'input',
  ultraEncode: 'input',
  proConvertEncoder: 'input',
  proConvertDecoder: 'output',
  proConvertAudio: 'output',
  usbFusion: 'input',
  director: 'input',
};

/** Rules of the specification, section 3. A device of another make that is a stream can be the input of a channel. */
export function capabilitiesOf({ family, productId, model, api }: ProductFacts): Capabilities {
  const isT450 = productId === t450;
  const isKnownMake = family !== 'others' && family !== 'thirdParty';
  const recordsAndLives =
    family === 'ultraStream' || family === 'director' || (family === 'ultraEncode' && recordingModels.test(model));
  return {
    record: recordsAndLives || isT450,
    live: recordsAndLives,
    upgrade: isKnownMake,
    interact: family !== 'others',
    connectionConfig: isKnownMake && family !== 'ultraStream',
    wifi: !isT450,
    direction: isPulled(api) ? 'input' : (directionOfFamily[family] ?? 'none'),
  };
}
