import type { FuzzTarget } from './target.ts';
import { addressTargets } from './targets/addresses.ts';
import { consoleTargets } from './targets/device-console.ts';
import { deviceTargets } from './targets/devices.ts';
import { formTargets } from './targets/forms.ts';
import { linkTargets } from './targets/link.ts';
import { mediaTargets } from './targets/media.ts';
import { panelTargets } from './targets/panels.ts';
import { rtmpTargets } from './targets/rtmp.ts';
import { rtmpEndpointTargets } from './targets/rtmp-endpoint.ts';
import { rtspTargets } from './targets/rtsp.ts';
import { srtTargets } from './targets/srt-endpoint.ts';
import { udpTargets } from './targets/udp-endpoint.ts';

export const targets: readonly FuzzTarget[] = [
  ...rtmpTargets,
  ...rtspTargets,
  ...addressTargets,
  ...mediaTargets,
  ...linkTargets,
  ...deviceTargets,
  ...consoleTargets,
  ...panelTargets,
  ...formTargets,
  ...rtmpEndpointTargets,
  ...srtTargets,
  ...udpTargets,
];

export function targetNamed(name: string): FuzzTarget {
  const found = targets.find((target) => target.name === name);
  if (!found) throw new Error(`Unknown target ${name}. Targets: ${targets.map((target) => target.name).join(', ')}`);
  return found;
}
