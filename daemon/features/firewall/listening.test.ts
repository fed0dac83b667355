import { expect, test } from 'bun:test';
import { listeningPorts } from './listening.ts';

const ports = { http: 0, https: null, rtmp: 0, srt: 0, hls: 0, link: 0 };
const none = { ports, devicePages: [], inputs: [], outputs: [], panels: undefined, ndiServer: undefined, forwards: [] };

test('the servers of the NDI router, and the mDNS port of panels, are listed while they run', () => {
  expect(listeningPorts(none)).toEqual([]);
  expect(listeningPorts({ ...none, panels: 9990, ndiServer: 5959 })).toEqual([
    { port: '9990', protocol: 0, service: 'panels', name: '' },
    { port: '5353', protocol: 1, service: 'panelDiscovery', name: '' },
    { port: '5959', protocol: 0, service: 'ndiServer', name: '' },
  ]);
});
