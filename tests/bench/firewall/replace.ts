/** Replaces the packet filter while a peer sends; runs in a network namespace of its own and prints what it found. */

import { rulesetCommands } from '../../../daemon/appliance/firewall/ruleset.ts';
import type { FirewallSetup } from '../../../daemon/appliance/firewall/setup.ts';
import { applyFirewall, readFirewall } from '../../../daemon/roles/helper/firewall.ts';
import { plugIn } from '../../netns/peer.ts';
import { echo } from '../../netns/traffic.ts';

const [rules = 1000, packets = 300_000] = process.argv.slice(2).map(Number);
const port = 6000;
const limitMs = 120_000;

const setup = (count: number): FirewallSetup => ({
  ...{ mode: -1, wan: ['eth1'], console: [80, 443] },
  rules: Array.from({ length: count }, (_, at) => ({
    ...{ id: at + 1, first: port + 3 * at, last: port + 3 * at + 1, tcp: at % 2 === 1, udp: at % 2 === 0 },
  })),
});

/** One transaction of nft, as the helper makes it. */
function replaceMs(next: FirewallSetup): number {
  const commands = Buffer.from(JSON.stringify(rulesetCommands(next, present)));
  const began = performance.now();
  const { success } = Bun.spawnSync(['/usr/sbin/nft', '--json', '--file', '-'], { stdin: commands, env: {} });
  if (!success) throw new Error('nft refused the rules');
  return performance.now() - began;
}

await applyFirewall({ setup: setup(rules) });
const listed = Bun.spawnSync(['/usr/sbin/nft', '--json', 'list', 'table', 'inet', 'signalbox'], { env: {} });
const present = (JSON.parse(listed.stdout.toString()) as { nftables: Parameters<typeof rulesetCommands>[1] }).nftables;
const times = Array.from({ length: 21 }, () => replaceMs(setup(rules))).toSorted((a, b) => a - b);

const service = await echo('udp', port);
const peer = await plugIn({ name: 'eth1', hub: ['10.77.0.10/24'], peer: ['10.77.0.1/24'] });
let [isOver, replaced] = [false, 0];
const replacing = (async () => {
  while (!isOver) {
    await applyFirewall({ setup: setup(replaced % 2 === 0 ? rules : 100) });
    replaced += 1;
  }
})();
const { sent } = await peer.ask('blast', '10.77.0.10', port, { ms: limitMs, count: packets });
isOver = true;
await replacing;
await peer.leave();
const { reading } = await readFirewall({});
console.log(
  JSON.stringify({ ms: times[10], replaced, sent, lost: sent - service.received(), refused: reading.refused.packets }),
);
process.exit(0);
