/** Load of the event stream: a fleet of changing objects, watched by the clients of an operations room. */
export const load = {
  objects: 5000,
  objectBytes: 1000,
  changesPerSecond: 500,
  ticksPerSecond: 10,
  listeners: 20,
} as const;
