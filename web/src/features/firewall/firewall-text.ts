import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  type FirewallModeCode,
  firewallModes,
  firewallProtocols,
  type ListeningService,
} from '../../../../daemon/contract/firewall-words.ts';

export const protocolTexts: Readonly<Record<number, string>> = {
  [firewallProtocols.tcp]: 'TCP',
  [firewallProtocols.udp]: 'UDP',
  [firewallProtocols.both]: 'TCP + UDP',
};

interface ModeText {
  readonly mode: FirewallModeCode;
  readonly name: MessageDescriptor;
  readonly line: MessageDescriptor;
  readonly consequence: MessageDescriptor;
}

export const modeTexts: readonly ModeText[] = [
  {
    mode: firewallModes.open,
    name: msg`All ports open`,
    line: msg`Every port of the hub.`,
    consequence: msg`Everything that listens on this machine can then be reached from outside.`,
  },
  {
    mode: firewallModes.rules,
    name: msg`Ports by rules`,
    line: msg`The console and the ports of enabled rules.`,
    consequence: msg`Connections to ports without an enabled rule end at once. The console stays open.`,
  },
  {
    mode: firewallModes.closed,
    name: msg`All ports closed`,
    line: msg`The console and nothing else.`,
    consequence: msg`Streams and devices that arrive from outside are cut off at once. The console stays open, and what the hub sends continues.`,
  },
];

export const serviceTexts: Readonly<Record<ListeningService, MessageDescriptor>> = {
  http: msg`Console (HTTP)`,
  https: msg`Console (HTTPS)`,
  rtmp: msg`RTMP server`,
  srt: msg`SRT server`,
  hls: msg`HLS server`,
  link: msg`Registration of devices`,
  deviceConsole: msg`Web pages of devices`,
  panels: msg`Hardware panels`,
  panelDiscovery: msg`Discovery by hardware panels (mDNS)`,
  ndiServer: msg`NDI discovery server`,
  forward: msg`Port forward`,
  input: msg`Input`,
  output: msg`Output`,
};
