/** Replaces and reads the packet filter with nft, the program of nftables. */
import { existsSync } from 'node:fs';
import { type NftObject, readingOf, rulesetCommands, table } from '../../appliance/firewall/ruleset.ts';
import type { FirewallReading, FirewallSetup } from '../../appliance/firewall/setup.ts';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import type { Handler } from './handlers.ts';
import { prepareStoring, storedFirewall } from './stored-firewall.ts';

const program = '/usr/sbin/nft';

export const applyFirewall: Handler<'firewall.apply'> = async ({ setup }) => {
  const keep = prepareStoring(setup);
  const reading = await apply(setup);
  keep();
  return { reading };
};

async function apply(setup: FirewallSetup): Promise<FirewallReading> {
  const present = await listTable();
  let fault = await replace(setup, present);
  // Someone may have made other objects with the names of ours. This one drops packets for a moment.
  if (fault !== undefined && present.length > 0) fault = (await replace(setup, [], [{ delete: { table } }])) && fault;
  if (fault !== undefined) throw new HelperRefusal('failed', `nft refused the rules: ${fault}`);
  return readingOf(await listTable());
}

/** At boot. Throws HelperRefusal. */
export async function restoreFirewall(log: Log): Promise<void> {
  const stored = storedFirewall();
  if (stored === undefined) return log.info('no filter was set before');
  const { setup, fault } = stored;
  if (fault !== undefined) log.error('the stored filter is unusable: all ports but the console are closed', { fault });
  await apply(setup);
  log.info('the filter is in effect', { mode: setup.mode, wan: setup.wan.join() });
}

export const readFirewall: Handler<'firewall.read'> = async () => ({ reading: readingOf(await listTable()) });

/** In one transaction. Resolves with the reason why it failed. */
async function replace(setup: FirewallSetup, present: readonly NftObject[], before: readonly object[] = []) {
  const { nftables } = rulesetCommands(setup, present);
  const commands = JSON.stringify({ nftables: [...before, ...nftables] });
  return (await nft(['--json', '--file', '-'], commands)).fault;
}

/** Returns the objects of the table; none if there is no such table. */
async function listTable(): Promise<NftObject[]> {
  const { output, fault } = await nft(['--json', 'list', 'table', table.family, table.name], '');
  if (fault?.includes('No such file or directory')) return [];
  if (fault !== undefined) throw new HelperRefusal('failed', `nft can’t read the rules: ${fault}`);
  const { nftables } = JSON.parse(output) as { nftables: NftObject[] };
  return nftables.filter(({ metainfo }) => metainfo === undefined);
}

/** Resolves with its output, or with the reason why it failed. */
async function nft(args: readonly string[], input: string): Promise<{ output: string; fault?: string }> {
  if (!existsSync(program)) throw new HelperRefusal('missing', 'the package nftables is not installed', 'nftables');
  const child = Bun.spawn([program, ...args], {
    ...{ stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe', env: {}, cwd: '/' },
    ...{ timeout: timing.helper.nftMs, killSignal: 'SIGKILL' },
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code === 0) return { output };
  const [reason = ''] = errors.split('\n').filter((line) => line.trim() !== '');
  return { output, fault: reason.slice(0, 200) || `it ended with ${child.signalCode ?? code}` };
}
