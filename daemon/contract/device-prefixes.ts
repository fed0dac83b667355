/** Beginnings of the paths of calls to devices, by the field of the answer that has the result code. */
export const devicePrefixes = {
  '/socket/usapi': 'result',
  '/socket/mwapi': 'status',
  '/socket/api': 'status',
} as const;
export type DevicePrefix = keyof typeof devicePrefixes;
