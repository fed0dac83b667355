/** States of port forwards. Free of schemas, because the console loads them with its list. */

/** `idle` and `connected` as published; `failed` is ours. */
export const forwardStates = { idle: 0, connected: 1, failed: 2 } as const;

/**
 * Why a forward is not connected, or, in the state `connected`, why the last connection failed.
 *
 * - `deviceOffline`: the device cannot be reached; the port of the hub is open
 * - `portRefused`: nothing listens at the port of the device, or it broke the connection
 * - `portTimeout`: the port of the device did not answer in time
 * - `portNotAllowed`: the agent of the device does not allow this port, or it is one of the hub's own machine
 * - `tooBusy`: the device or its agent takes no more connections
 * - `tooManyConnections`: a client was refused, because the forward has as many connections as possible
 * - `portOccupied`: another program has the port of the hub; it is tried again
 * - `portForbidden`: the system does not let the hub open this port; it is tried again
 * - `noAddress`: the machine of the hub does not have the address at present; it is tried again
 * - `noPermission`: the user who started it may no longer use it
 * - `unused`: it was unused for its idle limit
 * - `restarted`: the hub was restarted, and the forward is not one that starts again
 */
export const forwardReasons = [
  'deviceOffline',
  'portRefused',
  'portTimeout',
  'portNotAllowed',
  'tooBusy',
  'tooManyConnections',
  'portOccupied',
  'portForbidden',
  'noAddress',
  'noPermission',
  'unused',
  'restarted',
] as const;
export type ForwardReason = (typeof forwardReasons)[number];

/** Ports of every device that may be forwarded: SSH, HTTP, HTTPS, RTSP and the usual second port of HTTP. */
export const usualForwardPorts: readonly number[] = [22, 80, 443, 554, 8080];

/** Where a forward listens by default: only the machine of the hub itself reaches it. */
export const usualForwardAddress = '127.0.0.1';
