/** Parts that are processes, each of which is restarted by itself when it ends. */
export const restartableParts = ['engine', 'srt', 'udp'] as const;
export type RestartablePart = (typeof restartableParts)[number];
