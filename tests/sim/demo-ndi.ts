/**
 * NDI in the demo: on the runtime that SIGNALBOX_NDI_RUNTIME names or that is installed, otherwise on a simulator, which
 * has sources of its own and whose network is this process. Only with the simulator, channels receive and send NDI.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { api } from '../../daemon/contract/api.ts';
import { findRuntime } from '../../daemon/ndi/find-runtime.ts';
import type { HubClient } from './hub-client.ts';
import { buildDouble } from './ndi/build-double.ts';
import { serveNetwork } from './ndi/serve-network.ts';

const sources = [
  ...['STUDIO-A (Camera 1)', 'STUDIO-A (Camera 2)', 'STUDIO-A (Camera 3)', 'STUDIO-A (Program)'],
  ...['STUDIO-B (Camera 1)', 'STUDIO-B (Camera 2)', 'STUDIO-B (Program)'],
  ...['TRUCK (Program)', 'TRUCK (Replay 1)', 'TRUCK (Replay 2)', 'STADIUM (Aerial)', 'STADIUM (Beauty shot)'],
  ...['GRAPHICS (Scoreboard)', 'GRAPHICS (Lower third)', 'SERVER (Clip 1)', 'SERVER (Clip 2)'],
] as const;
/** Without an input, for the user to add. */
const withoutInput: readonly string[] = ['GRAPHICS (Lower third)', 'STADIUM (Beauty shot)'];
/** Not on the network, with the source that replaces it. */
const offline = { source: 'STUDIO-C (Camera 1)', backup: 'STUDIO-B (Camera 1)' };
/** What each output has at first. */
const outputs = [
  ['Program', 'STUDIO-A (Program)'],
  ['Preview', 'STUDIO-A (Camera 2)'],
  ['Lobby screens', 'SERVER (Clip 1)'],
  ['Press room', 'TRUCK (Program)'],
  ['Multiviewer 1', 'STADIUM (Aerial)'],
  ['Multiviewer 2', 'GRAPHICS (Scoreboard)'],
  ['Recorder', 'STUDIO-A (Program)'],
  ['Studio C monitor', offline.source],
] as const;
const salvos = [
  ['Show', ['STUDIO-A (Program)', 'STUDIO-A (Camera 1)', 'STUDIO-A (Program)', 'STUDIO-A (Program)']],
  ['Break', ['SERVER (Clip 1)', 'STUDIO-A (Camera 1)', 'SERVER (Clip 1)', 'SERVER (Clip 1)']],
  ['Match', ['TRUCK (Program)', 'TRUCK (Replay 1)', 'TRUCK (Program)', 'STADIUM (Aerial)']],
] as const;

/** A channel with an NDI input. */
const received = { channel: 'NDI camera', source: 'STUDIO-A (Camera 1)' } as const;
/** A channel with an NDI output; `name` is that of the output, and of the source on the network. */
const sent = { channel: 'Outside broadcast', name: 'Outside broadcast over NDI' } as const;

export interface DemoNdi {
  readonly isSimulator: boolean;
  /** Of the hub. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Builds the simulator and serves its network if there is no runtime. */
export async function ndiRuntimeFor(dataDir: string): Promise<DemoNdi> {
  const { SIGNALBOX_NDI_RUNTIME: named, ...env } = process.env;
  const inFolder = (folder: string) => ({ NDI_RUNTIME_DIR_V6: folder });
  if (named) return { isSimulator: false, environment: inFolder(dirname(resolve(named))) };
  if (findRuntime({ env, dataDir }).outcome === 'found') return { isSimulator: false, environment: {} };
  const simulator = await buildSimulator(join(dataDir, 'ndi-simulator'));
  serveNetwork(simulator);
  return { isSimulator: true, environment: inFolder(dirname(simulator)) };
}

/** Returns its path. */
export function buildSimulator(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const quoted = (text: string) => JSON.stringify(text);
  return buildDouble(folder, [`VERSION=${quoted('NDI simulator 6.3.99.0')}`, `SOURCES=${quoted(sources.join(';'))}`]);
}

/** Prepares a router that nobody has changed yet, so that a second run keeps the user's changes. */
export async function prepareRouter(hub: HubClient, { isSimulator }: DemoNdi): Promise<void> {
  const { inputs } = await hub.get(api.ndiRouter.get);
  if (inputs.some(({ source }) => source !== null)) return;
  // The sources of a real network are unknown: each gets the next free input.
  if (!isSimulator) {
    await hub.post(api.ndiRouter.set, { 'auto-fill': true });
    return;
  }
  const listed = [...sources.filter((source) => !withoutInput.includes(source)), offline.source];
  const numberOf = (source: string) => listed.indexOf(source) + 1;
  await hub.post(api.ndiRouter.set, { 'base-name': 'SIGNALBOX', outputs: outputs.length });
  for (const source of listed) {
    await hub.post(api.ndiRouter.setInput, {
      ...{ id: numberOf(source), source },
      ...(source === offline.source && { failover: numberOf(offline.backup) }),
    });
  }
  for (const [at, [label]] of outputs.entries()) await hub.post(api.ndiRouter.setOutput, { id: at + 1, label });
  const route = (source: string, at: number) => ({ out: at + 1, in: numberOf(source) });
  await hub.post(api.ndiRouter.route, { routes: outputs.map(([, source], at) => route(source, at)) });
  for (const [name, routed] of salvos) await hub.post(api.ndiSalvos.add, { name, routes: routed.map(route) });
  await hub.post(api.ndiRouter.lock, { out: 7, locked: true });
}

/** Creates what is missing, so that a second run keeps the user's changes. */
export async function ensureNdiChannels(hub: HubClient): Promise<void> {
  const { list: channels } = await hub.get(api.channels.dashboard);
  if (!channels.some(({ name }) => name === received.channel)) {
    const input = await hub.post(api.inputs.add, {
      ...{ name: received.source, config: { type: 1, ndi: { name: received.source } } },
    });
    const { id } = await hub.post(api.channels.add, { name: received.channel, config: { enable: true } });
    await hub.post(api.channels.setInput, { id, input: input.id });
  }
  const { list: outputs } = await hub.get(api.outputs.list);
  const from = channels.find(({ name }) => name === sent.channel);
  if (from === undefined || outputs.some(({ name }) => name === sent.name)) return;
  await hub.post(api.outputs.add, {
    ...{ name: sent.name, channel: from.id, config: { type: 1, ndi: { name: sent.channel } } },
  });
}
