/**
 * The hub as it ships, as an appliance whose operating system is in memory: `bun tests/sim/appliance-hub.ts`, with the
 * settings of the hub in the environment. Tests call the doubles with `controlOf` (appliance/control.ts).
 */
import { createApplianceDouble } from '../../daemon/appliance/double-for-test.ts';
import { runHub } from '../../daemon/roles/hub.ts';
import { doubleControl } from './appliance/control.ts';

process.env.SIGNALBOX_VARIANT ??= 'hardware';
const appliance = createApplianceDouble();
process.exit(await runHub({ further: [() => doubleControl(appliance.double)], appliance }));
