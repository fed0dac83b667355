/** What a reset can keep. */
export const resetKeeps = ['network', 'firmware', 'logs'] as const;
export type ResetKeep = (typeof resetKeeps)[number];

/**
 * Parts of the operating system of an appliance that a reset restores. `network`: addresses, routes and Wi-Fi; `hostName`;
 * `time`: time servers and time zone; `journal`: the log of the system.
 */
export const systemAreas = ['network', 'hostName', 'time', 'journal'] as const;
export type SystemArea = (typeof systemAreas)[number];
