import type { Migration } from '../migrate.ts';

/** Devices that state over OSC what they do. */
export const deviceOsc: Migration = {
  version: 32,
  name: 'device OSC',
  sql: `
ALTER TABLE devices ADD COLUMN osc_port INTEGER;
`,
};
