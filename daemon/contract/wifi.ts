/** Wi-Fi and USB network of the hub's machine. Keys of Wi-Fi networks can be written but not read. */
import * as z from 'zod/mini';
import { Missing } from './appliance.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { confirmation, ToConfirm } from './network.ts';
import { portStates } from './network-states.ts';
import { joinableSecurities, Ssid, SsidHex, WifiKey, wifiSecurities, wifiStates } from './wifi-fields.ts';

/** Name of a network. Several networks may look alike in `ssid`; `ssid-hex` tells them apart. */
const name = {
  /** In UTF-8; bytes that are not UTF-8 appear as U+FFFD. It may contain any character. */
  ssid: z.string(),
  /** Its bytes in hexadecimal. */
  'ssid-hex': z.string(),
};

export const WifiNetwork = z.object({
  ...name,
  /** Percent. */
  strength: z.int(),
  security: z.enum(wifiSecurities),
  /** MHz. */
  frequency: z.int(),
});
export type WifiNetwork = z.infer<typeof WifiNetwork>;

export const KnownWifi = z.object({
  ...name,
  security: z.enum(wifiSecurities),
  /** Whether the network does not announce its name. */
  hidden: z.boolean(),
});
export type KnownWifi = z.infer<typeof KnownWifi>;

export const UsbNet = z.object({
  /** Name of the network interface, such as `usb0`. */
  interface: z.string(),
  state: z.enum(portStates),
  driver: z.string(),
  /** With the length of the prefix: `192.168.42.10/24`. */
  addresses: z.array(z.string()),
});
export type UsbNet = z.infer<typeof UsbNet>;

export const Wifi = z.object({
  state: z.enum(wifiStates),
  /** Name of the network interface; empty without an adapter. */
  interface: z.string(),
  /** The network that it is connected to, or connects to. */
  current: z.optional(z.object({ ...name, strength: z.int(), addresses: z.array(z.string()) })),
  /** Networks in range, the strongest first. */
  networks: z.array(WifiNetwork),
  /** Networks that the hub joins by itself when they are in range. */
  known: z.array(KnownWifi),
  /** Network interfaces on USB, such as a modem or a phone: they get their addresses by DHCP. */
  usb: z.array(UsbNet),
  /** Whether the caller reaches the hub through the adapter. If so, leaving its network must be confirmed. */
  entry: z.boolean(),
  missing: Missing,
});
export type Wifi = z.infer<typeof Wifi>;

const which = { ssid: z.optional(Ssid), 'ssid-hex': z.optional(SsidHex) };
const oneName = z.refine<{ readonly ssid?: string | undefined; readonly 'ssid-hex'?: string | undefined }>(
  (body) => (body.ssid === undefined) !== (body['ssid-hex'] === undefined),
  { path: ['ssid'], error: 'exactlyOne' },
);

export const wifiApi = endpoints(calls.wifi, {
  get: {
    summary: 'Get the state of the Wi-Fi adapter, the networks of its last scan, and the known networks.',
    needs: 'hardware',
    response: Wifi,
  },
  scan: {
    summary: 'Look for Wi-Fi networks, which takes some seconds. Returns the state with what was found.',
    needs: 'hardware',
    body: z.object({}),
    response: Wifi,
  },
  join: {
    summary:
      'Join a Wi-Fi network, by `ssid` or `ssid-hex`. Known networks need no key. Returns when the hub has an address; 36 (auth failed) for a wrong key. For a caller who reaches the hub through the adapter, the answer comes before the change, which is undone unless it is confirmed with the token. 1004 while another change waits.',
    needs: 'hardware',
    body: z
      .object({
        ...which,
        key: z.optional(WifiKey),
        /** Whether the network does not announce its name. Default: false. */
        hidden: z.optional(z.boolean()),
        /** Default: as found by the scan; of a hidden network, `wpa` with a key and `open` without. */
        security: z.optional(z.enum(joinableSecurities, 'choice')),
        ...confirmation,
      })
      .check(oneName, z.meta({ oneOf: [{ required: ['ssid'] }, { required: ['ssid-hex'] }] })),
    response: ToConfirm,
  },
  forget: {
    summary:
      'Delete a known network with its key. The hub leaves it if it is connected to it, which a caller who reaches the hub through it has to confirm. 1004 while another change waits.',
    needs: 'hardware',
    body: z
      .object({ ...which, ...confirmation })
      .check(oneName, z.meta({ oneOf: [{ required: ['ssid'] }, { required: ['ssid-hex'] }] })),
    response: ToConfirm,
  },
});
