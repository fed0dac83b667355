/** The form with which a Wi-Fi network is joined. */
import { isJoinable, type JoinableSecurity, needsKey, Ssid, WifiKey } from '../../../../daemon/contract/wifi-fields.ts';
import { type FieldFaults, faultAt } from '../../ui/form/schema-form.ts';
import type { WifiRow } from './wifi-look.ts';

export interface JoinValues {
  /** Of a hidden network. */
  readonly ssid: string;
  readonly security: JoinableSecurity;
  readonly key: string;
}

/** `network`: undefined for a hidden one. */
export function joinValues(network: WifiRow | undefined): JoinValues {
  const security = network?.security ?? 'wpa';
  return { ssid: '', security: isJoinable(security) ? security : 'wpa', key: '' };
}

export function checkJoin({ ssid, security, key }: JoinValues, network: WifiRow | undefined): FieldFaults {
  return {
    ...(network === undefined && faultAt('ssid', Ssid, ssid)),
    ...(needsKey(security) && faultAt('key', WifiKey, key)),
  };
}

export function joinBody({ ssid, security, key }: JoinValues, network: WifiRow | undefined) {
  return {
    ...(network === undefined ? { ssid, hidden: true } : { 'ssid-hex': network['ssid-hex'] }),
    security,
    ...(needsKey(security) && { key }),
  };
}
