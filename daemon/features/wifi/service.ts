/** Wi-Fi and USB network of the appliance. NetworkManager stores the keys, which the hub only passes on. */
import type { ConfirmedChanges } from '../../appliance/confirmed-change/confirmed-changes.ts';
import { missingOf } from '../../appliance/missing-part.ts';
import type { UsbPort } from '../../appliance/usb/port.ts';
import {
  type FoundNetwork,
  type JoinRequest,
  type SsidBytes,
  type WifiChange,
  WifiFault,
  type WifiPort,
  type WifiReading,
} from '../../appliance/wifi/port.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ToConfirm } from '../../contract/network.ts';
import { defaultConfirmSeconds } from '../../contract/network-fields.ts';
import type { ResultName } from '../../contract/result.ts';
import type { Wifi, wifiApi } from '../../contract/wifi.ts';
import { isJoinable, needsKey } from '../../contract/wifi-fields.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import type { Database } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';

export interface WifiDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly wifi: WifiPort;
  readonly usb: UsbPort;
  readonly changes: () => Promise<ConfirmedChanges>;
}

export interface WifiCaller {
  readonly actor: Actor;
  readonly session: Session;
  /** The address or name by which the caller reached the hub. */
  readonly host: string;
}

export type WifiService = ReturnType<typeof createWifiService>;
type JoinBody = BodyOf<typeof wifiApi.join>;
type Confirmation = Pick<JoinBody, 'confirm-within' | 'accept-risk'>;

const nothing: WifiReading = { state: 'none', interface: '', current: null, networks: [], known: [] };
/** More than any place has; a neighbor can make up any number. */
const mostShown = 200;
/** Time limit of an attempt that takes effect without a confirmation. */
const attemptSeconds = 75;

export function createWifiService({ db, audit, wifi, usb, changes }: WifiDeps) {
  /** The adapter does one thing at a time. */
  const inTurn = createSemaphore({ atOnce: 1, longestLine: 4 });

  /** What the hub has stored for USB; NetworkManager may start after the hub. */
  let isPrepared = false;

  async function get(caller: WifiCaller): Promise<Wifi> {
    try {
      if (!isPrepared) await usb.prepare();
      isPrepared = true;
      const [reading, devices] = await Promise.all([wifi.read(), usb.read()]);
      const supplicant = { part: 'wpaSupplicant', fault: 'absent' } as const;
      return {
        ...shown(reading),
        entry: await isEntry(caller, reading),
        usb: devices.map(({ name, addresses, ...device }) => ({
          interface: name,
          ...device,
          addresses: [...addresses],
        })),
        missing: reading.state === 'unavailable' ? [supplicant] : [],
      };
    } catch (error) {
      return { ...shown(nothing), entry: false, usb: [], missing: [missingOf(error)] };
    }
  }

  /** Whether the caller would be cut off if the adapter left its network. */
  async function isEntry({ actor, host }: WifiCaller, { current }: WifiReading): Promise<boolean> {
    if (current === null) return false;
    return current.addresses.some((text) => text.split('/')[0] === host) || (await wifi.leadsTo(actor.ip));
  }

  /** Throws with what the user can do about it. A failed attempt is recorded, too. */
  async function recorded<T>(actor: Actor, { action, subject }: Entry, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WifiFault)) throw error;
      const refusal = refusalOf(error);
      audit.note(db, actor, { action, subject, result: refusal.result });
      throw refusal;
    }
  }

  /** Leaves the network of the adapter on trial, as the caller is connected through it. */
  async function tryChange(
    { actor, session }: WifiCaller,
    { change, entry, asked }: { change: WifiChange; entry: Entry; asked: Confirmation },
  ): Promise<ToConfirm> {
    const { 'confirm-within': seconds = defaultConfirmSeconds, 'accept-risk': acceptsRisk } = asked;
    if (seconds === 0 && acceptsRisk !== true) {
      throw fieldError('accept-risk', 'required', 'you may lose the connection to the hub; set accept-risk');
    }
    const service = await changes();
    const userId = session.token ? null : session.user.id;
    const begin = () => service.begin({ kind: 'wifi', change, user: actor.name, userId, seconds });
    const token = await recorded(actor, entry, begin);
    const limit: OperationChange[] = seconds === 0 ? [] : [{ word: 'confirmWithin', value: String(seconds) }];
    audit.note(db, actor, { ...entry, changes: limit });
    return { ...(token !== '' && { token }), 'confirm-by-s': seconds, addresses: [] };
  }

  /** Makes a change that does not cut off the caller. */
  async function makeChange(actor: Actor, entry: Entry, work: () => Promise<void>): Promise<ToConfirm> {
    const release = (await changes()).claim({ kind: 'wifi', user: actor.name, seconds: attemptSeconds, isFinal: true });
    try {
      await recorded(actor, entry, work);
    } finally {
      release();
    }
    audit.note(db, actor, entry);
    return { 'confirm-by-s': 0, addresses: [] };
  }

  return {
    get,
    scan: (caller: WifiCaller): Promise<Wifi> =>
      inTurn(async () => {
        await wifi.scan().catch((error: unknown) => {
          throw error instanceof WifiFault ? refusalOf(error) : error;
        });
        return get(caller);
      }),
    join: (caller: WifiCaller, body: JoinBody): Promise<ToConfirm> =>
      inTurn(async () => {
        const ssid = bytesOf(body);
        const reading = await wifi.read();
        const request = requestOf(ssid, body, reading);
        const entry = { action: 'wifi.join', subject: textOf(ssid) };
        if (await isEntry(caller, reading)) {
          const change = request === 'stored' ? { rejoin: ssid } : { join: request };
          return tryChange(caller, { change, entry, asked: body });
        }
        return makeChange(caller.actor, entry, () => (request === 'stored' ? wifi.rejoin(ssid) : wifi.join(request)));
      }),
    forget: (caller: WifiCaller, body: BodyOf<typeof wifiApi.forget>): Promise<ToConfirm> =>
      inTurn(async () => {
        const ssid = bytesOf(body);
        const reading = await wifi.read();
        const entry = { action: 'wifi.forget', subject: textOf(ssid) };
        if (!reading.known.some((network) => network.ssid === ssid)) throw notExist('Wi-Fi network', entry.subject);
        if (reading.current?.ssid === ssid && (await isEntry(caller, reading))) {
          return tryChange(caller, { change: { forget: ssid }, entry, asked: body });
        }
        return makeChange(caller.actor, entry, async () => void (await wifi.forget(ssid)));
      }),
  };
}

interface Entry {
  readonly action: string;
  readonly subject: string;
}

function bytesOf({ ssid, 'ssid-hex': hex }: Pick<JoinBody, 'ssid' | 'ssid-hex'>): SsidBytes {
  return hex?.toLowerCase() ?? Buffer.from(ssid ?? '').toString('hex');
}

const textOf = (ssid: SsidBytes) => Buffer.from(ssid, 'hex').toString();
const named = (ssid: SsidBytes) => ({ ssid: textOf(ssid), 'ssid-hex': ssid });

function shown({
  state,
  current,
  networks,
  known,
  interface: name,
}: WifiReading): Omit<Wifi, 'entry' | 'usb' | 'missing'> {
  return {
    ...{ state, interface: name },
    ...(current && {
      current: { ...named(current.ssid), strength: current.strength, addresses: [...current.addresses] },
    }),
    networks: networks.slice(0, mostShown).map(({ ssid, ...rest }) => ({ ...named(ssid), ...rest })),
    known: known.map(({ ssid, security, isHidden }) => ({ ...named(ssid), security, hidden: isHidden })),
  };
}

/** How the network is joined: with what is stored, or with what was sent. Throws for what cannot work. */
function requestOf(ssid: SsidBytes, body: JoinBody, { networks, known }: WifiReading): JoinRequest | 'stored' {
  const { key, hidden: isHidden = false } = body;
  const found = networks.filter((network) => network.ssid === ssid);
  const isStored = known.some((network) => network.ssid === ssid);
  if (isStored && key === undefined && body.security === undefined) return 'stored';
  const security = body.security ?? securityOf(found, key);
  if (needsKey(security) && key === undefined) throw fieldError('key', 'required', 'this network has a key');
  // A stranger's network may have the name of a protected one.
  if (!needsKey(security) && key !== undefined) {
    throw fieldError('key', 'wifiOpen', 'this network is not protected by a key');
  }
  return { ssid, security, key, isHidden };
}

function securityOf(found: readonly FoundNetwork[], key: string | undefined): JoinRequest['security'] {
  const usable = found.map(({ security }) => security).filter(isJoinable);
  if (found.length > 0 && usable.length === 0) {
    throw fieldError('ssid', 'wifiProtection', 'the hub does not support how this network is protected');
  }
  // Of networks with the same name, the protected one, if there is a key for it.
  const fitting = usable.find((security) => needsKey(security) === (key !== undefined));
  return fitting ?? usable[0] ?? (key === undefined ? 'open' : 'wpa');
}

const refusals: Readonly<
  Record<WifiFault['reason'], readonly [ResultName, field: string, rule: string, text: string]>
> = {
  wrongKey: ['authFailed', 'key', 'wifiWrongKey', 'the access point does not accept this key'],
  notFound: ['notExist', 'ssid', 'wifiNotFound', 'no access point in range has this name'],
  noAddress: ['noResponse', 'ssid', 'wifiNoAddress', 'the network assigned no address'],
  refused: ['connectionRefused', 'ssid', 'wifiRefused', 'the access point refused the hub or did not answer'],
  timeout: ['timeout', 'ssid', 'wifiTimeout', 'it took too long'],
  noAdapter: ['wrongState', 'ssid', 'noWifi', 'the hub has no Wi-Fi adapter that is on'],
};

function refusalOf({ reason }: WifiFault): HubError {
  const [result, path, rule, message] = refusals[reason];
  return new HubError(result, message, { fields: [{ path, rule, message }] });
}
