/** Parts of the operating system that the appliance's calls and pages need, and what is wrong with one. Free of zod. */

/** `bus`: the system D-Bus. `helper`: the unit that does what the hub, which runs without root, may not. */
export const applianceParts = [
  'bus',
  'networkManager',
  'wpaSupplicant',
  'helper',
  'nftables',
  'chrony',
  'ethtool',
] as const;
export type AppliancePart = (typeof applianceParts)[number];

/**
 * `absent`: it is not installed or does not run. `silent`: it does not answer within its time limit. `refused`: it runs,
 * but does not permit the hub to use it, for example because a polkit rule is missing.
 */
export const partFaults = ['absent', 'silent', 'refused'] as const;
export type PartFault = (typeof partFaults)[number];
