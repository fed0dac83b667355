/** Access points as NetworkManager describes them. */
import type { WifiSecurity } from '../../contract/wifi-fields.ts';
import { type Objects, type Properties, propertiesOf } from '../nm-objects.ts';
import type { FoundNetwork, SsidBytes } from './port.ts';

/** `NM80211ApFlags` and `NM80211ApSecurityFlags`. */
const privacy = 1;
const keyManagement = { psk: 0x100, enterprise: 0x200, sae: 0x400, owe: 0x800, suiteB: 0x2000 } as const;

/** A network that takes WPA2 and WPA3 keys is joined as the former, which every adapter can do. */
export function securityOf({ Flags, WpaFlags, RsnFlags }: Properties): WifiSecurity {
  const methods = Number(WpaFlags ?? 0) | Number(RsnFlags ?? 0);
  if (methods & keyManagement.psk) return 'wpa';
  if (methods & keyManagement.sae) return 'wpa3';
  if (methods & (keyManagement.enterprise | keyManagement.suiteB)) return 'enterprise';
  if (methods & keyManagement.owe) return 'owe';
  return Number(Flags ?? 0) & privacy ? 'wep' : 'open';
}

/** By the `key-mgmt` of a stored profile. */
export function securityOfProfile(security: Properties | undefined): WifiSecurity {
  switch (security?.['key-mgmt']) {
    case undefined:
      return 'open';
    case 'wpa-psk':
      return 'wpa';
    case 'sae':
      return 'wpa3';
    case 'owe':
      return 'owe';
    case 'none':
    case 'ieee8021x':
      return 'wep';
    default:
      return 'enterprise';
  }
}

export function ssidBytes(value: unknown): SsidBytes {
  return Array.isArray(value) ? Buffer.from(value).toString('hex') : '';
}

/** The networks of these access points, one per name and security, the strongest first. Hidden ones have no name. */
export function networksOf(objects: Objects, paths: readonly unknown[]): FoundNetwork[] {
  const found = new Map<string, FoundNetwork>();
  for (const path of paths) {
    const point = propertiesOf(objects, path, 'AccessPoint');
    const [ssid, security] = [ssidBytes(point.Ssid), securityOf(point)];
    // Some access points fill the name that they hide with zeros.
    if (/^(?:00)*$/.test(ssid)) continue;
    const network = { ssid, security, strength: Number(point.Strength ?? 0), frequency: Number(point.Frequency ?? 0) };
    const key = `${ssid} ${security}`;
    if (network.strength >= (found.get(key)?.strength ?? -1)) found.set(key, network);
  }
  return [...found.values()].toSorted((a, b) => b.strength - a.strength || (a.ssid < b.ssid ? -1 : 1));
}
