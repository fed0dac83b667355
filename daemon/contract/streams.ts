/**
 * Terms shared by inputs, outputs, channels and servers: protocols, types, states. Free of schemas, like every file that
 * the console's first page loads (tests/check/imports.test.ts).
 */

/** Protocol bits of the published API. */
export const protocolBits = { rtmp: 1, srt: 2, udp: 4, rtp: 8, rtsp: 16, http: 32, ndi: 64 } as const;
export type Protocol = keyof typeof protocolBits;

export function protocolOf(bit: number): Protocol | undefined {
  return (Object.keys(protocolBits) as Protocol[]).find((name) => protocolBits[name] === bit);
}

/** Node types: the high byte is the direction, the low byte the origin. */
export const nodeTypes = {
  ...{ inputDevice: 257, customInput: 258, dynamicInput: 260 },
  ...{ outputDevice: 513, customOutput: 514, dynamicOutput: 516 },
} as const;
export const directions = { none: 0, input: 256, output: 512, both: 768 } as const;

/** States of a source (specification, section 4). */
export const sourceStates = {
  initializing: 0,
  adding: 1,
  running: 2,
  addFailed: 3,
  configuring: 4,
  unsupported: 5,
  firmwareTooOld: 6,
  offline: 7,
  failed: 8,
} as const;

/** Connection states (specification, section 4). */
export const connectionStates = {
  waiting: 0,
  connecting: 1,
  waitingForData: 2,
  connected: 10,
  failed: 20,
  disconnected: 21,
  refused: 22,
  dnsFailed: 23,
  tcpFailed: 24,
  handshakeFailed: 25,
  streamFailed: 26,
  authorizationFailed: 27,
  creationFailed: 28,
} as const;
export type ConnectionStateName = keyof typeof connectionStates;

/**
 * State of a channel. `disabled`: switched off. `waiting`: no input is connected. `live`: packets arrived in the last
 * 2 s. `slate`: both inputs are lost, and outputs and players get the slate. `stale`: the input is connected but silent.
 * `engineDown`: the media engine does not respond.
 */
export const channelStates = ['disabled', 'waiting', 'live', 'slate', 'stale', 'failed', 'engineDown'] as const;

/** Whether outputs and players get a picture. */
export function isOnAir(state: (typeof channelStates)[number]): boolean {
  return state === 'live' || state === 'slate';
}

/** The objects in a channel's run history. `switch`: which input is on air, for a channel with a backup. */
export const runParts = ['channel', 'input', 'backup', 'output', 'switch'] as const;
export type RunPart = (typeof runParts)[number];

export const serverTypes = { rtmp: 1, srtCaller: 2, srtListener: 3 } as const;

export const serverStreams = ['main', 'sub'] as const;
export type ServerStream = (typeof serverStreams)[number];
