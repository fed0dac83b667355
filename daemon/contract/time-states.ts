/** States of the clock and of NTP servers. Free of zod. */

/**
 * `synchronized`: the clock follows NTP. `waiting`: no server has been usable yet. `off`: NTP is off. `unknown`: chrony
 * cannot be asked.
 */
export const syncStates = ['synchronized', 'waiting', 'off', 'unknown'] as const;
export type SyncState = (typeof syncStates)[number];

/**
 * `selected`: the clock follows this server. `combined`: it is used together with that one. `unused`: it is good, but
 * another one is better. `unreachable`: it does not answer. `unusable`: it answers, but has no usable time yet. `wrong`:
 * its time differs from that of the others.
 */
export const timeSourceStates = ['selected', 'combined', 'unused', 'unreachable', 'unusable', 'wrong'] as const;
export type TimeSourceState = (typeof timeSourceStates)[number];
