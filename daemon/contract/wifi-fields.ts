/** What the form of a Wi-Fi network checks, too. */
import * as z from 'zod/mini';
import { inWords } from './rules.ts';

/** How a network is protected. `wpa` includes networks that support WPA3 as well; `owe` is encrypted without a key. */
export const wifiSecurities = ['open', 'owe', 'wpa', 'wpa3', 'wep', 'enterprise'] as const;
export type WifiSecurity = (typeof wifiSecurities)[number];

/** Those that the hub can join. */
export const joinableSecurities = ['open', 'owe', 'wpa', 'wpa3'] as const satisfies readonly WifiSecurity[];
export type JoinableSecurity = (typeof joinableSecurities)[number];

export function isJoinable(security: WifiSecurity): security is JoinableSecurity {
  return (joinableSecurities as readonly WifiSecurity[]).includes(security);
}
/** Whether one joins it with a key. */
export function needsKey(security: WifiSecurity): boolean {
  return security === 'wpa' || security === 'wpa3';
}

/**
 * `none`: there is no adapter. `off`: it is switched off. `unavailable`: it cannot be used, because wpa_supplicant does not
 * run or another program has it. `connecting` includes waiting for an address.
 */
export const wifiStates = ['none', 'off', 'unavailable', 'disconnected', 'connecting', 'connected'] as const;
export type WifiState = (typeof wifiStates)[number];

const longestSsid = 32;
const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Any text, including spaces and control characters: the name of a network is a sequence of bytes. */
export const Ssid = z.string().check(
  z.minLength(1, 'required'),
  z.refine((text) => byteLength(text) <= longestSsid, { error: 'tooManyBytes', params: { max: longestSsid } }),
  z.meta({ maxLength: longestSsid, rule: 'At most 32 bytes in UTF-8.' }),
);
/** The same as hexadecimal bytes, for names that are not UTF-8. */
export const SsidHex = z.string().check(z.regex(/^(?:[0-9A-Fa-f]{2}){1,32}$/, 'ssidHex'));
/** 8 to 63 printable ASCII characters, or 64 hexadecimal digits. */
export const WifiKey = z
  .string()
  .check(
    z.minLength(1, 'required'),
    z.regex(/^(?:[\x20-\x7e]{8,63}|[0-9A-Fa-f]{64})?$/, 'wifiKey'),
    inWords('8 to 63 printable ASCII characters, or 64 hexadecimal digits.'),
  );
