/**
 * What the hub needs of a device, whatever its make. A driver speaks one API; a session of it belongs to one device.
 * How the bytes reach the device, directly or through a link, is the transport's business.
 */
import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceFacts, DeviceIdentity } from '../contract/device-facts.ts';
import type { SourceTest } from '../contract/inputs.ts';
import type { PulledSource } from '../sources/stream-device.ts';
import type { Answer } from './answer.ts';

export interface DeviceRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  /** Path and query, percent-encoded, beginning with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob | FormData | DeviceUpload;
  /** Milliseconds until the whole answer must have arrived; with an upload, from the last part that was taken of it. */
  readonly timeoutMs: number;
  /** A longer answer is cut off with the problem `invalidAnswer`. */
  readonly maxBytes: number;
}

/** A body of any size that is read while it is sent, in constant memory. */
export interface DeviceUpload {
  readonly type: string;
  readonly bytes: number;
  /** Read once, as fast as the device takes it. */
  readonly parts: () => AsyncIterable<Uint8Array>;
}

export interface DeviceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface Transport {
  /**
   * Rejects with a `DeviceProblem`, or with the signal's reason once it is aborted. Sends the request at most once,
   * follows no redirect and keeps no cookies. At most about 200 requests may be under way at once, of all transports:
   * the runtime has 256 places for requests, which the rest of the hub needs, too.
   */
  request(request: DeviceRequest, signal: AbortSignal): Promise<DeviceResponse>;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Where an encoder sends its stream: one of the hub's listeners. */
export interface StreamTarget {
  /** Name of the entry in the device's list of servers. An entry of this name is replaced. */
  readonly name: string;
  readonly protocol: 'rtmp' | 'srt';
  readonly host: string;
  readonly port: number;
  /** RTMP: application; SRT: absent. */
  readonly app?: string;
  /** RTMP: stream key; SRT: stream id. */
  readonly key: string;
  /** SRT. */
  readonly latencyMs?: number;
  readonly passphrase?: string;
  readonly stream: 'main' | 'sub';
}

/** What a decoder plays: a stream of the hub. */
export interface StreamSource {
  /** Name of the preset on the device. A preset of this name is replaced. */
  readonly name: string;
  /** rtmp: or srt: address, with key or stream id. */
  readonly url: string;
  readonly bufferMs?: number;
}

/** A file of firmware, on its way to a device. */
export interface FirmwareFile {
  /** As the device sees it. */
  readonly name: string;
  readonly bytes: number;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/**
 * `idle`: the device writes no firmware. `writing`: it checks, erases or writes, and must not be disturbed. `written`: a
 * restart activates what was written. `failed`: it gave up; what it runs is unchanged.
 */
export type FirmwareState = 'idle' | 'writing' | 'written' | 'failed';

export interface FirmwareProgress {
  readonly state: FirmwareState;
  /** 0 to 100; of the present step, where the device counts each step. */
  readonly percent: number;
  /** Firmware that runs now. */
  readonly version: string;
  readonly uptimeS: number | undefined;
  /** Result code with which it failed, and what that means in English. */
  readonly fault?: { readonly code: number; readonly text: string };
}

/** How a device gets other firmware. In this order: `upload`, `start`, `progress` until it has restarted. */
export interface FirmwareUpgrade {
  /** Resolves when the device has taken the file. Rejects with `refused` and the device's code if it does not. */
  upload(file: FirmwareFile, signal: AbortSignal): Promise<void>;
  /** The device begins to write. */
  start(signal: AbortSignal): Promise<void>;
  progress(signal: AbortSignal): Promise<FirmwareProgress>;
  /** Whether it restarts by itself once it has written; otherwise it is to be restarted. */
  readonly restartsItself: boolean;
}

/**
 * A session is used by one caller at a time. All methods reject with a `DeviceProblem`, or with the signal's reason once
 * it is aborted. A write is never repeated, unless the device refused it for lack of a session.
 */
export interface DeviceSession {
  identify(signal: AbortSignal): Promise<DeviceIdentity>;
  poll(signal: AbortSignal): Promise<DeviceFacts>;
  /** Returns a JPEG. Absent: the device has no picture of its own. */
  readonly snapshot?: (signal: AbortSignal) => Promise<Uint8Array>;
  /**
   * The stream that the hub can open itself, with the login for it and with the host that the device states, in place of
   * which the hub connects to the device: the best one as the input of a channel, the smallest one for a picture.
   * Undefined, like the method: there is none.
   */
  readonly stream?: (use: StreamUse, signal: AbortSignal) => Promise<PulledSource | undefined>;
  /**
   * Makes a call that only reads, by its name in the API of the device, and returns the answer as it is, whatever its
   * result code: it may have secrets. The caller decides which calls there are.
   */
  readonly ask?: (name: string, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;
  readonly rename?: (name: string, signal: AbortSignal) => Promise<Pause>;
  readonly reboot?: (signal: AbortSignal) => Promise<Pause>;
  /** Resolves with `repeated` if the device says that it does so already, as the next two may. */
  readonly setRecording?: (on: boolean, signal: AbortSignal) => Promise<unknown>;
  readonly setLive?: (on: boolean, signal: AbortSignal) => Promise<unknown>;
  /** Begins to send to the first stream of the device's own list, or ends all of them. */
  readonly setQuickStream?: (on: boolean, signal: AbortSignal) => Promise<unknown>;
  /** Encoders: adds the server and begins to send to it. */
  readonly sendTo?: (target: StreamTarget, signal: AbortSignal) => Promise<void>;
  readonly stopSendingTo?: (name: string, signal: AbortSignal) => Promise<void>;
  /** Decoders: adds the preset and shows it. */
  readonly play?: (source: StreamSource, signal: AbortSignal) => Promise<void>;
  /** Decoders: shows nothing if it shows the preset of this name, and removes the preset. */
  readonly stopPlaying?: (name: string, signal: AbortSignal) => Promise<void>;
  readonly firmware?: FirmwareUpgrade;
  /** Signs out, if the API has that. Never rejects. */
  close(): Promise<void>;
}

/** What a switch resolves with if nothing had to be switched. */
export const repeated = 'repeated';

export type StreamUse = 'input' | 'picture';

/** How long the device does not answer after an act, in milliseconds; it is not asked meanwhile. */
export interface Pause {
  readonly silentMs: number;
}

/** A device that is a stream which the hub opens itself; all that is known of it was entered. */
export interface StreamDevice {
  readonly sn: string;
  readonly name: string;
  /** With its secrets. */
  readonly source: PulledSource;
  /** Path and query of its picture at the address of the transport; absent if it has none. */
  readonly snapshot?: string;
  /** Finds out whether the stream is there. Rejects with the `HubError` `tryAgain` while too many wait for that. */
  look(signal: AbortSignal): Promise<SourceTest>;
}

/** A part of the state of a device that states it over OSC. */
export type StatusType = 'recording' | 'streaming' | 'scene';

/** A device that states neither name nor serial number, and its state over OSC only. */
export interface OscDevice {
  readonly sn: string;
  readonly name: string;
  /** Asks for parts of its state. Returns those that arrive in time; none if the device does not answer. */
  status(types: readonly StatusType[], signal: AbortSignal): Promise<ReadonlyMap<StatusType, Answer>>;
}

/** A device that an administrator has described, because it cannot be asked what it is. */
export type DescribedDevice = StreamDevice | OscDevice;

export interface Driver {
  readonly api: DeviceApi;
  /**
   * Whether a device without a session answers as one of this API does. Rejects if the device cannot be reached; a
   * rejection with `invalidAnswer` means no.
   */
  recognizes(transport: Transport, signal: AbortSignal): Promise<boolean>;
  /** `described`: for the drivers `stream` and `v1`, each of its kind. */
  open(transport: Transport, credentials: Credentials, described?: DescribedDevice): DeviceSession;
}
