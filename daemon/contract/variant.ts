/** Variant and optional features of a hub, which determine menus, pages and calls, and the flags of its status. */

/**
 * Bits of `feature-support`; the published meaning of the mask is unknown, these are ours. `ndi`: streams can be received
 * and sent as NDI. `devices`: encoders and decoders register with the hub, which manages them and their firmware.
 */
export const featureBits = { ndiRouter: 1, ndi: 2, devices: 4 } as const;

/** The features that hubs have unless they are configured otherwise. The console shows nothing of the others. */
export const usualFeatures = featureBits.devices;

/**
 * What a call or a page requires of the hub. `hardware`: an appliance that manages its own network; `standard`: a
 * program on a user's machine; or a feature.
 */
export type Need = 'hardware' | 'standard' | keyof typeof featureBits;

export interface Variant {
  readonly isHardware: boolean;
  /** Bits of `featureBits`. */
  readonly features: number;
}

export function meets({ isHardware, features }: Variant, need: Need | undefined): boolean {
  if (need === undefined) return true;
  if (need === 'hardware') return isHardware;
  if (need === 'standard') return !isHardware;
  return (features & featureBits[need]) !== 0;
}

/** Bits of `status-code`; the state of the update service is OR-ed into the lower bits. */
export const systemFlags = {
  newVersion: 4096,
  restarting: 8192,
  relayStartFailed: 16384,
  updating: 32768,
  resetting: 65536,
  importing: 131072,
  memoryLow: 262144,
} as const;
