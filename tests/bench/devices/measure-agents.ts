/** Devices whose agents dial a hub: they apply, are approved, and all return at once after the hub was away. */

import { startHub } from '../../integration/hub-process.ts';
import { until } from '../../support/until.ts';
import { type Program, startProgram } from '../link/rig.ts';
import type { LinkFigure } from '../report/result.ts';

interface AgentsPrint {
  readonly attempts: number;
  readonly accepted: number;
}

const patienceMs = 150_000;
const awayMs = 5000;
const askEveryMs = 20;
const perSecond = 200;

export async function measureAgents(count: number): Promise<LinkFigure[]> {
  const hub = await startHub({ env: { SIGNALBOX_LOG: 'warn', SIGNALBOX_FEATURES: 'devices' } });
  let agents: Program<AgentsPrint> | undefined;
  try {
    await hub.login();
    const url = `ws://127.0.0.1:${hub.ports.link}/link`;
    agents = startProgram<AgentsPrint>('fleet-devices', [url, 0, count, perSecond, JSON.stringify({ api: 'usapi' })]);
    const { printed } = agents;
    const areAccepted = () => printed.accepted === count;
    const waiting = async () => {
      const answer = await hub.api<{ total: number }>('/api/device/list?reg-state=waiting&count=1');
      return answer.total === count;
    };
    await until(waiting, patienceMs, 'all agents wait for approval');
    const { list } = await hub.api<{ list: { sn: string }[] }>('/api/device/list?reg-state=waiting');
    await hub.api('/api/device/accept', { sn: list.map(({ sn }) => sn) });
    const acceptedMs = await until(areAccepted, patienceMs, 'all agents are accepted');

    const before = printed.attempts ?? 0;
    await hub.kill('SIGKILL');
    await until(() => printed.accepted === 0, patienceMs, 'all links are down');
    await Bun.sleep(awayMs);
    await hub.restart();
    const began = performance.now();
    let longestMs = 0;
    const asking = new AbortController();
    const asked = (async () => {
      while (!asking.signal.aborted) {
        const at = performance.now();
        await (await fetch(`${hub.url}/api/health`)).arrayBuffer();
        longestMs = Math.max(longestMs, performance.now() - at);
        await Bun.sleep(askEveryMs);
      }
    })();
    await until(areAccepted, patienceMs, 'all agents are back');
    const backSeconds = (performance.now() - began) / 1000;
    asking.abort();
    await asked;
    const attempts = ((printed.attempts ?? 0) - before) / count;
    return [
      { what: `${count} agents know that they are approved after`, found: acceptedMs / 1000, unit: 's', atMost: 5 },
      {
        what: `${count} agents, ${awayMs / 1000} s without the hub: attempts each until all are back`,
        ...{ found: attempts, unit: '', atMost: 4 },
      },
      { what: `${count} agents are back after`, found: backSeconds, unit: 's', atMost: 90 },
      { what: `${count} agents: the longest HTTP answer meanwhile`, found: longestMs, unit: 'ms', atMost: 250 },
    ];
  } finally {
    await Promise.all([hub.stop(), agents?.child.kill()]);
  }
}
