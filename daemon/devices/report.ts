/** What is known of the devices at present; it is lost when the hub stops. `fleet.ts` keeps it. */
import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceFacts } from '../contract/device-facts.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import type { PulledSource } from '../sources/stream-device.ts';
import type { Credentials, DescribedDevice, DeviceSession, StreamUse, Transport } from './driver.ts';

/** An accepted device, whose state the hub polls. */
export interface FleetDevice {
  readonly sn: string;
  readonly api: DeviceApi;
  readonly credentials: Credentials;
  /** A new object only when the way to the device has changed. A new session is then opened. */
  readonly transport: Transport;
  /** Of the drivers `stream` and `v1`. As for `transport`, a new object leads to a new session. */
  readonly described?: DescribedDevice;
}

/** `connecting`: it was not polled yet, or its last answer is not old enough to call it offline. */
export type DeviceConnection = 'connecting' | 'online' | 'offline';

export interface DeviceReport {
  readonly connection: DeviceConnection;
  /** When that connection state began, in milliseconds since 1970. */
  readonly since: number;
  /** Why the last request failed; absent after a success. */
  readonly problem?: { readonly word: DeviceProblemWord; readonly message: string };
  /** The last facts, also of an offline device. */
  readonly facts?: DeviceFacts;
  /** Until then the device is silent after a rename or a reboot, and is not polled; on the clock that never goes back. */
  readonly silentUntil?: number;
  /** The same in milliseconds since 1970. */
  readonly pauseUntil?: number;
}

/** Per-device figures of the last hour, oldest first, one per 10 s; null where nothing is known. */
export interface DeviceHistory {
  /** Time of the newest value, in milliseconds since 1970. */
  readonly end: number;
  readonly cpu: readonly (number | null)[];
  readonly temperature: readonly (number | null)[];
  readonly rxKbps: readonly (number | null)[];
  readonly txKbps: readonly (number | null)[];
  readonly streamKbps: readonly (number | null)[];
}

/** All methods reject with a `DeviceProblem`, or with the reason of the signal. */
export interface KeptDevice {
  /** Runs requests of any duration, when no other is under way. */
  use<T>(work: (session: DeviceSession, signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Asks for its state, within the usual time, and shows it to everyone. */
  poll(signal: AbortSignal): Promise<DeviceFacts>;
  release(): void;
}

export interface Fleet {
  /** Replaces the devices that are polled. Sessions of unchanged devices continue. */
  apply(devices: readonly FleetDevice[]): void;
  report(sn: string): DeviceReport | undefined;
  /** The newest steps, at most those of an hour. */
  history(sn: string, steps: number): DeviceHistory | undefined;
  /** Calls back with the serial numbers of devices whose report changed, at most every 100 ms. */
  watch(onChange: (sns: readonly string[]) => void): () => void;
  /** Polls these devices every second until the returned function is called. */
  hold(sns: readonly string[]): () => void;
  /**
   * Runs an act in the session of a device, when no other request is under way. Rejects with a `DeviceProblem`. Polls
   * the state afterwards; an act that returns a pause silences the device for that long.
   */
  act<T>(sn: string, act: (session: DeviceSession, signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Says that the device has been renamed: until it is polled again, or while it is silent, its facts have this name. */
  renamed(sn: string, name: string): void;
  /** Runs a read in the session of an online device, as `act` does, but without a poll afterwards. */
  ask<T>(sn: string, read: (session: DeviceSession, signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Keeps the device for one piece of work that takes long, such as new firmware: until `release` is called, it is not
   * polled, keeps its connection state, and refuses everything else as `busy`. Throws `DeviceProblem`s: `busy` if
   * something keeps it already, `unsupported` if it is not an accepted device.
   */
  keep(sn: string): KeptDevice;
  /** Returns a JPEG of the device. Rejects with a `DeviceProblem`: `unsupported` if it has no picture. */
  picture(sn: string): Promise<Uint8Array>;
  /** Returns the stream of the device, as `DeviceSession.stream` does. Rejects with a `DeviceProblem`. */
  stream(sn: string, use: StreamUse): Promise<PulledSource | undefined>;
  close(): Promise<void>;
}
