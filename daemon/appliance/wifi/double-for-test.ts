/** A Wi-Fi adapter in memory, with access points that a test places around it. */
import { ipv4Number, netOf } from '../../contract/ipv4.ts';
import { changeFailed } from './failure.ts';
import {
  type FoundNetwork,
  type JoinRequest,
  type SsidBytes,
  type StoredNetwork,
  type WifiChange,
  WifiFault,
  type WifiPort,
  type WifiReading,
} from './port.ts';

/** An access point in range. */
export interface AccessPoint extends FoundNetwork {
  readonly key?: string;
  readonly isHidden?: boolean;
  /** Whether it gives no addresses. */
  readonly isMute?: boolean;
}

export interface WifiDouble {
  readonly port: WifiPort;
  /** Changes what is in range. Leaving networks ends a connection with them. */
  place(points: readonly AccessPoint[]): void;
  /** Forgets everything. */
  reset(): void;
  /** The address that the adapter gets in every network. */
  setAddress(address: string): void;
  /** Removes the adapter, or plugs it in. */
  plug(isPresent: boolean): void;
  /** What is stored, with the keys. */
  stored(): readonly (StoredNetwork & { readonly key: string | undefined })[];
}

const usualAddress = '10.88.0.50';

export const ssidOf = (text: string): SsidBytes => Buffer.from(text).toString('hex');

export function createWifiDouble(points: readonly AccessPoint[] = []): WifiDouble {
  let present = true;
  let ownAddress = usualAddress;
  let around = points;
  let seen: readonly AccessPoint[] = [];
  let current: SsidBytes | null = null;
  const profiles = new Map<SsidBytes, StoredNetwork & { readonly key: string | undefined }>();

  /** Undoes the change on trial; undefined once the change is undone or kept. */
  let undo: (() => void) | undefined;
  /** The change on trial with its key, which the caller of `prepare` does not store. */
  let tried: WifiChange | undefined;

  const pointOf = (ssid: SsidBytes) => around.find((point) => point.ssid === ssid);
  const needAdapter = () => {
    if (!present) throw new WifiFault('noAdapter');
  };
  function connect({ ssid, key, isHidden }: JoinRequest): void {
    needAdapter();
    const point = pointOf(ssid);
    if (point === undefined || (point.isHidden && !isHidden)) throw new WifiFault('notFound');
    // A network is left before another one is tried.
    current = null;
    if (point.key !== key) throw new WifiFault(point.key === undefined ? 'refused' : 'wrongKey');
    if (point.isMute) throw new WifiFault('noAddress');
    current = ssid;
  }
  const port: WifiPort = {
    async read(): Promise<WifiReading> {
      const known = [...profiles.values()].map(({ key: _, ...network }) => network);
      if (!present) return { state: 'none', interface: '', current: null, networks: [], known };
      const strength = current === null ? 0 : (pointOf(current)?.strength ?? 0);
      return {
        state: current === null ? 'disconnected' : 'connected',
        interface: 'wlan0',
        current: current === null ? null : { ssid: current, strength, addresses: [`${ownAddress}/24`] },
        networks: seen
          .filter(({ isHidden }) => !isHidden)
          .map(({ ssid, strength: own, security, frequency }) => ({ ssid, strength: own, security, frequency }))
          .toSorted((a, b) => b.strength - a.strength),
        known,
      };
    },
    async scan() {
      needAdapter();
      seen = around;
    },
    async join(request) {
      const before = current;
      try {
        connect(request);
      } catch (error) {
        current = before;
        throw error;
      }
      profiles.set(request.ssid, { ...request });
    },
    async rejoin(ssid) {
      const stored = profiles.get(ssid);
      if (stored === undefined) throw new WifiFault('notFound');
      connect({ ...stored, security: 'wpa' });
    },
    async forget(ssid) {
      if (!profiles.delete(ssid)) return false;
      if (current === ssid) current = null;
      return true;
    },
    async forgetAll() {
      profiles.clear();
      current = null;
    },
    keyOf: async (ssid) => profiles.get(ssid)?.key,
    async store(request) {
      profiles.set(request.ssid, { ...request });
    },
    async leadsTo(address) {
      const [to, { first, last }] = [ipv4Number(address) ?? 0, netOf(ipv4Number(ownAddress) ?? 0, 24)];
      return current !== null && to >= first && to <= last;
    },

    async prepare(change, seconds) {
      needAdapter();
      if ('join' in change) {
        const point = pointOf(change.join.ssid);
        if (point === undefined || (point.isHidden && !change.join.isHidden)) throw new WifiFault('notFound');
      } else if (!profiles.has('forget' in change ? change.forget : change.rejoin)) throw new WifiFault('notFound');
      const [network, stored] = [current, new Map(profiles)];
      const timer = setTimeout(() => undo?.(), seconds * 1000);
      timer.unref();
      undo = () => {
        clearTimeout(timer);
        undo = undefined;
        current = network;
        profiles.clear();
        for (const [ssid, profile] of stored) profiles.set(ssid, profile);
      };
      tried = change;
      return {};
    },
    async apply() {
      if (tried === undefined) throw new Error('no change was prepared');
      try {
        if ('forget' in tried) current = null;
        else if ('join' in tried) connect(tried.join);
        else await port.rejoin(tried.rejoin);
      } catch (error) {
        throw changeFailed(error);
      }
    },
    async seal() {
      const isKept = undo !== undefined;
      undo = undefined;
      return isKept;
    },
    async save() {
      if (tried !== undefined && 'join' in tried) profiles.set(tried.join.ssid, tried.join);
      if (tried !== undefined && 'forget' in tried) profiles.delete(tried.forget);
    },
    async revert() {
      undo?.();
    },
  };
  return {
    port,
    place(next) {
      around = next;
      seen = next;
      if (current !== null && pointOf(current) === undefined) current = null;
      else current ??= [...profiles.keys()].find((ssid) => pointOf(ssid)) ?? null;
    },
    reset() {
      undo?.();
      profiles.clear();
      current = null;
    },
    setAddress(address) {
      ownAddress = address;
    },
    plug(isPresent) {
      present = isPresent;
      if (!isPresent) current = null;
    },
    stored: () => [...profiles.values()],
  };
}
