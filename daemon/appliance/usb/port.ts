/** Network interfaces on USB, such as a modem, a phone or an adapter. They get their addresses by DHCP. */
import type { PortState } from '../../contract/network-states.ts';

export interface UsbDevice {
  /** In the kernel, such as `usb0`. */
  readonly name: string;
  readonly state: Exclude<PortState, 'absent' | 'unknown'>;
  readonly driver: string;
  /** With the length of the prefix. */
  readonly addresses: readonly string[];
}

/** All methods throw MissingPart if NetworkManager or its bus cannot be used, each within a time limit. */
export interface UsbPort {
  /** Those that are plugged in, by name. */
  read(): Promise<readonly UsbDevice[]>;
  /** Lets every such interface get its addresses by DHCP from now on, also when it is plugged in without the hub. */
  prepare(): Promise<void>;
}
