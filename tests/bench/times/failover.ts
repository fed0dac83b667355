/** How long an output has no video when the main input dies: its sender is killed, and a backup takes over. */
import { connectionStates } from '../../../daemon/contract/streams.ts';
import { leasePort } from '../../support/ports.ts';
import type { BenchHub } from '../hub.ts';
import { openChannel } from '../subjects/signalbox.ts';
import { startSender, startSink, type Toolbox } from '../tools.ts';
import { type Timing, type TimingPlan, timing } from './timing.ts';

const limitSeconds = 60;
const readyMs = 15_000;
const { connected } = connectionStates;
/** After the switch, to see its whole effect on the output. */
const windowMs = 2000;
const limits = { hot: 500, cold: 3000 } as const;

export async function measureFailover(toolbox: Toolbox, hub: BenchHub, plan: TimingPlan): Promise<Timing[]> {
  const timings: Timing[] = [];
  for (const standby of ['hot', 'cold'] as const) {
    const what = `${standby} backup, UDP in and out: longest gap when the main input dies`;
    const of = { what, label: 'Signalbox', isOurs: true, limitMs: limits[standby] };
    const gaps = async () => {
      const ms: number[] = [];
      for (let i = 0; i < plan.attempts; i++) ms.push(await gapOnce(toolbox, hub, standby));
      return ms;
    };
    timings.push(...(await timing(plan, of, gaps)));
  }
  return timings;
}

async function gapOnce(toolbox: Toolbox, hub: BenchHub, standby: 'hot' | 'cold'): Promise<number> {
  const [main, backup, output] = [leasePort(), leasePort(), leasePort()];
  const channel = await openChannel(hub, [`udp://127.0.0.1:${output}`]);
  const inputs = [await channel.addInput(main), await channel.addInput(backup)];
  const failover = { standby, back: 'never' };
  await hub.call('/api/channel/input/set', { id: channel.id, input: inputs[0], backup: inputs[1], failover });
  const sink = startSink(toolbox, { url: `udp://127.0.0.1:${output}` }, 1, limitSeconds);
  const senders = [main, backup].map((port) => startSender(toolbox, { url: `udp://127.0.0.1:${port}` }, limitSeconds));
  try {
    await sink.ready;
    await untilRole(hub, channel.id, 'main', standby === 'hot');
    sink.beginWindow();
    await senders[0]?.child.kill();
    await untilRole(hub, channel.id, 'backup', false);
    await Bun.sleep(windowMs);
    const report = await sink.report();
    if (report.stalled > 0) throw new Error('no picture after the switch');
    return report.longestGapMs;
  } finally {
    await Promise.all([...senders.map((sender) => sender.stop()), sink.stop()]);
    await channel.close();
  }
}

/** That input is on air; and the backup receives packets, if required. */
async function untilRole(hub: BenchHub, id: number, role: string, withBackup: boolean): Promise<void> {
  const end = performance.now() + readyMs;
  while (performance.now() < end) {
    const { failover } = (await hub.call(`/api/channel/query?id=${id}`)) as QueryAnswer;
    if (failover?.active === role && (!withBackup || failover.backup['conn-state'] === connected)) return;
    await Bun.sleep(50);
  }
  throw new Error(`the ${role} input was not on air after ${readyMs / 1000} s`);
}

interface QueryAnswer {
  readonly failover?: { readonly active: string; readonly backup: { readonly 'conn-state': number } };
}
