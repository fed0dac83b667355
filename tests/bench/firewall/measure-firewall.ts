/** The packet filter of an appliance: time of a replacement, and packets of an open port that are lost meanwhile. */
import { join } from 'node:path';
import { machineBusySeconds } from '../proc.ts';
import type { LinkResult } from '../report/result.ts';

const rules = 1000;

interface Found {
  readonly ms: number;
  readonly replaced: number;
  readonly sent: number;
  readonly lost: number;
}

export async function measureFirewall(isQuick: boolean): Promise<LinkResult> {
  const packets = isQuick ? 30_000 : 300_000;
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const command = [process.execPath, join(import.meta.dir, 'replace.ts'), String(rules), String(packets)];
  const [began, busy] = [performance.now(), machineBusySeconds()];
  const child = Bun.spawn(['unshare', ...asUser, '--net', '--', ...command], { stdout: 'pipe', stderr: 'inherit' });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the packet filter could not be measured');
  const { ms, replaced, sent, lost } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Found;
  const ownCores = 1;
  const seconds = (performance.now() - began) / 1000;
  return {
    paths: [],
    figures: [
      { what: `${rules} rules replaced, median`, found: ms, unit: 'ms', atMost: 30 },
      {
        what: `lost of ${sent} packets of an open port during ${replaced} replacements`,
        found: lost,
        unit: '',
        atMost: 0,
      },
    ],
    // Sender, hub and nft keep about a core busy by themselves.
    othersCpu: Math.max(0, (machineBusySeconds() - busy) / seconds - ownCores),
  };
}
