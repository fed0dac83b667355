/**
 * The hub as it ships with an NDI router whose network is in memory: `bun tests/sim/ndi-hub.ts`, with the settings of the
 * hub in the environment. Tests change that network with `ndiNetworkOf` (ndi-network.ts).
 */
import { createRouterDouble } from '../../daemon/ndi/router-double-for-test.ts';
import { runHub } from '../../daemon/roles/hub.ts';
import { ndiNetworkControl } from './ndi-network.ts';

const double = createRouterDouble();
process.exit(await runHub({ further: [() => ndiNetworkControl(double)], openNdiPort: async () => double.port }));
