/** A hub with a channel that is on air, and gates in front of servers, to inject failures. */
import { afterAll, beforeAll } from 'bun:test';
import { stopFarEnds } from '../fake-peers.ts';
import { closeGates, type Gate, openGate } from '../gate.ts';
import type { HubProcess } from '../hub-process.ts';
import { publish } from '../live-media.ts';
import type { RelayRig, RigChannel, RigConnection } from '../relay-rig.ts';
import { openRigHub } from '../rig-hub.ts';
import { timeDivisor } from '../scaled-timing.ts';
import { type Certificates, makeCertificates } from '../test-certificates.ts';

export interface StatesStage {
  readonly hub: HubProcess;
  readonly rig: RelayRig;
  readonly certificates: Certificates;
  /** H.264 and AAC, for outputs and pulls that need a stream. */
  readonly studio: RigChannel;
  /** A gate in front of one of the hub's own ports. */
  gateTo(port: number, mode?: 'pass' | 'silent' | 'closing'): Promise<Gate>;
  newKey(): Promise<{ readonly channel: RigChannel; readonly key: string }>;
  pushTo(port: number, key: string, app?: string): Promise<RigConnection>;
  /** Default: the studio's stream. */
  pullFrom(port: number, key?: string, app?: string): Promise<RigConnection>;
  pullTs(port: number): Promise<RigConnection>;
}

export const rtmpOf = (port: number, key: string, app = 'live') => ({ url: `rtmp://127.0.0.1:${port}/${app}`, key });

export function openStatesStage(): StatesStage {
  let certificates: Certificates | undefined;
  let studio: RigChannel | undefined;
  const base = openRigHub({
    name: 'states',
    timeDivisor,
    environment: async (folder) => {
      certificates = await makeCertificates(folder);
      return { NODE_EXTRA_CA_CERTS: certificates.authority };
    },
  });
  beforeAll(async () => {
    studio = await base.rig.addChannel();
    publish(studio.push.rtmp);
    await studio.input.untilGood();
  });
  afterAll(() => {
    stopFarEnds();
    closeGates();
  });
  return {
    get hub() {
      return base.hub;
    },
    get rig() {
      return base.rig;
    },
    get certificates() {
      return present(certificates);
    },
    get studio() {
      return present(studio);
    },
    gateTo: async (port, mode = 'pass') => openGate({ to: port, mode }),
    async newKey() {
      const channel = await base.rig.addChannel();
      return { channel, key: channel.pushKey };
    },
    pushTo: (port, key, app) => present(studio).addOutput(rtmpOf(port, key, app)),
    pullFrom: (port, key = present(studio).playKey, app) => base.rig.addInput(rtmpOf(port, key, app)),
    pullTs: (port) => base.rig.addInput({ url: `http://127.0.0.1:${port}/live/${present(studio).playKey}.ts` }),
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the stage is set before the first test');
  return value;
}
