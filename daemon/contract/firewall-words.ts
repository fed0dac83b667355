/** Words of the firewall. Free of schemas, because the console loads them with its page. */
import { limits } from './limits.ts';

/** As published. */
export const firewallModes = { rules: -1, closed: 0, open: 1 } as const;
export type FirewallModeCode = (typeof firewallModes)[keyof typeof firewallModes];

/** As published. */
export const firewallProtocols = { tcp: 0, udp: 1, both: 2 } as const;
export type FirewallProtocolCode = (typeof firewallProtocols)[keyof typeof firewallProtocols];

/**
 * - `applied`: the firewall is as configured
 * - `failed`: the configured rules could not be applied; those before them are in effect
 * - `damaged`: stored rules can't be read; all ports but those of the console are closed until a change is made, which
 *   removes them
 * - `unknown`: nothing could be read; `missing` says why
 */
export const firewallStates = ['applied', 'failed', 'damaged', 'unknown'] as const;
export type FirewallState = (typeof firewallStates)[number];

/**
 * What the hub listens for: `http` and `https` the console, `rtmp`, `srt` and `hls` encoders and players, `link` devices,
 * `deviceConsole` web pages of devices, `forward` a port forward, `panels` hardware panels of the NDI router,
 * `panelDiscovery` mDNS queries of these panels, `ndiServer` clients of the hub's own NDI discovery server, `input` and
 * `output` one that waits for connections.
 */
export const listeningServices = [
  'http',
  'https',
  'rtmp',
  'srt',
  'hls',
  'link',
  'deviceConsole',
  'panels',
  'panelDiscovery',
  'ndiServer',
  'forward',
  'input',
  'output',
] as const;
export type ListeningService = (typeof listeningServices)[number];

/** First and last port of a rule; undefined if the text is neither a port nor a range. */
export function portsIn(text: string): { readonly first: number; readonly last: number } | undefined {
  const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (from === undefined) return undefined;
  const [first, last] = [Number(from), Number(to ?? from)];
  const isRange = to === undefined || first < last;
  return first >= limits.port.min && last <= limits.port.max && isRange ? { first, last } : undefined;
}
