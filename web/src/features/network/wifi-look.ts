/** How Wi-Fi networks are shown. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconCircleDashed,
  IconCircleFilled,
  IconCircleX,
  IconRefresh,
  IconWifi,
  IconWifi1,
  IconWifi2,
  IconWifiOff,
} from '@tabler/icons-react';
import type { UsbNet, Wifi, WifiNetwork } from '../../../../daemon/contract/wifi.ts';
import type { WifiSecurity } from '../../../../daemon/contract/wifi-fields.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export const wifiLooks: Readonly<Record<Wifi['state'], Look>> = {
  none: { tone: 'off', icon: IconCircleDashed, text: msg`No adapter` },
  off: { tone: 'off', icon: IconCircleDashed, text: msg`Switched off` },
  unavailable: { tone: 'fault', icon: IconCircleX, text: msg`Unavailable` },
  disconnected: { tone: 'off', icon: IconCircleDashed, text: msg`Not connected` },
  connecting: { tone: 'info', icon: IconRefresh, text: msg`Connecting` },
  connected: { tone: 'live', icon: IconCircleFilled, text: msg`Connected` },
};

const fault = (text: MessageDescriptor): Look => ({ tone: 'fault', icon: IconCircleX, text });
const off = (text: MessageDescriptor): Look => ({ tone: 'off', icon: IconCircleDashed, text });

export const usbLooks: Readonly<Record<UsbNet['state'], Look>> = {
  connected: wifiLooks.connected,
  connecting: wifiLooks.connecting,
  disconnected: wifiLooks.disconnected,
  failed: fault(msg`No address assigned`),
  noCable: off(msg`No cable`),
  unmanaged: off(msg`Managed by another program`),
  absent: off(msg`Not connected`),
  unknown: off(msg`Unknown`),
};

export const securityTexts: Readonly<Record<WifiSecurity, MessageDescriptor>> = {
  open: msg`Open, not encrypted`,
  owe: msg`Open, encrypted`,
  wpa: msg`WPA2`,
  wpa3: msg`WPA3`,
  wep: msg`WEP, not supported`,
  enterprise: msg`WPA Enterprise, not supported`,
};

/** By the strength in percent; undefined: not in range. */
export function strengthIcon(strength: number | undefined) {
  if (strength === undefined) return IconWifiOff;
  if (strength >= 60) return IconWifi;
  return strength >= 30 ? IconWifi2 : IconWifi1;
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The name with the characters that are not seen, or that change what is seen, as escapes. */
export function ssidText(ssid: string): string {
  return ssid.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A network in the list: in range, known, or both. */
export interface WifiRow {
  readonly key: string;
  readonly ssid: string;
  readonly 'ssid-hex': string;
  readonly security: WifiSecurity;
  /** Undefined if it is not in range. */
  readonly strength: number | undefined;
  readonly isKnown: boolean;
  readonly isCurrent: boolean;
}

/** The current network first, then known ones, then the strongest. */
export function wifiRows({ networks, known, current }: Wifi): WifiRow[] {
  const knownNames = new Set(known.map((network) => network['ssid-hex']));
  const inRange = new Set(networks.map((network) => network['ssid-hex']));
  const row = (
    network: Pick<WifiNetwork, 'ssid' | 'ssid-hex' | 'security'>,
    strength: number | undefined,
  ): WifiRow => ({
    key: `${network['ssid-hex']} ${network.security}`,
    ...{ ssid: network.ssid, 'ssid-hex': network['ssid-hex'], security: network.security, strength },
    isKnown: knownNames.has(network['ssid-hex']),
    isCurrent: network['ssid-hex'] === current?.['ssid-hex'],
  });
  const away = known.filter((network) => !inRange.has(network['ssid-hex']));
  const rows = [
    ...networks.map((network) => row(network, network.strength)),
    ...away.map((network) =>
      row(network, network['ssid-hex'] === current?.['ssid-hex'] ? current?.strength : undefined),
    ),
  ];
  const rank = ({ isCurrent, isKnown, strength }: WifiRow) =>
    isCurrent ? 3 : isKnown && strength !== undefined ? 2 : strength !== undefined ? 1 : 0;
  return rows.toSorted((a, b) => rank(b) - rank(a) || (b.strength ?? 0) - (a.strength ?? 0));
}
