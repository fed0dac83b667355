/** What a reset can keep. */
export const resetKeeps = ['network', 'firmware', 'logs'] as const;
export type ResetKeep = (typeof resetKeeps)[number];
