import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { installed, installLayout } from './install-layout.ts';

test('the source tree has what the layout names', () => {
  const { command, confine, rtmpEndpoint, srtEndpoint, udpEndpoint } = installLayout;
  for (const path of [...command, confine, rtmpEndpoint, srtEndpoint, udpEndpoint]) expect(existsSync(path)).toBe(true);
});

test('an installed program finds its parts below the same prefix', () => {
  expect(installed('/usr/local/bin/signalbox', {})).toMatchObject({
    command: ['/usr/local/bin/signalbox'],
    console: '/usr/local/share/signalbox/console',
    rtmpEndpoint: '/usr/local/lib/signalbox/rtmp-endpoint',
    srtEndpoint: '/usr/local/lib/signalbox/srt-endpoint',
    confine: '/usr/local/lib/signalbox/confine',
  });
});

test('under systemd the data folder is the state folder of the unit', () => {
  const { dataDir } = installed('/usr/bin/signalbox', { STATE_DIRECTORY: '/var/lib/hub', HOME: '/home/user' });
  expect(dataDir).toBe('/var/lib/hub');
});

test('the data folder never depends on the current folder', () => {
  for (const environment of [{}, { HOME: '/home/user' }, { HOME: '/home/user', XDG_STATE_HOME: '/srv/state' }]) {
    expect(installed('/usr/bin/signalbox', environment).dataDir).toStartWith('/');
  }
});
