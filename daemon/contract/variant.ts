/** Variant and optional features of a hub: they determine menus, pages and calls. */

/** Bits of `feature-support`; the published meaning of the mask is unknown, these are ours. */
export const featureBits = { ndiRouter: 1 } as const;

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
