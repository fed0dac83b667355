/** A Wi-Fi adapter in memory, with access points that a test places around it. */
import {
  type FoundNetwork,
  type JoinRequest,
  type SsidBytes,
  type StoredNetwork,
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
  /** Removes the adapter, or plugs it in. */
  plug(isPresent: boolean): void;
  /** What is stored, with the keys. */
  stored(): readonly (StoredNetwork & { readonly key: string | undefined })[];
}

export const ssidOf = (text: string): SsidBytes => Buffer.from(text).toString('hex');

export function createWifiDouble(points: readonly AccessPoint[] = []): WifiDouble {
  let present = true;
  let around = points;
  let seen: readonly AccessPoint[] = [];
  let current: SsidBytes | null = null;
  const profiles = new Map<SsidBytes, StoredNetwork & { readonly key: string | undefined }>();

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
        current: current === null ? null : { ssid: current, strength, addresses: ['10.88.0.50/24'] },
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
      profiles.clear();
      current = null;
    },
    plug(isPresent) {
      present = isPresent;
      if (!isPresent) current = null;
    },
    stored: () => [...profiles.values()],
  };
}
