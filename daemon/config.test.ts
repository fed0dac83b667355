import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { describeVariables, readConfig, unknownVariables, variables } from './config.ts';
import { ConfigError } from './lib/config-error.ts';

test('without any variable the published defaults apply', () => {
  expect(readConfig({})).toEqual({
    dataDir: resolve('var'),
    bind: '0.0.0.0',
    hosts: [],
    trustedProxies: [],
    httpPort: 8880,
    httpsPort: 8443,
    rtmpPort: 1935,
    srtPort: 8000,
    hlsPort: 8080,
    linkPort: 8070,
    consolePorts: [8071, 8072, 8073, 8074, 8075, 8076, 8077, 8078],
    licenseChannels: 256,
    licenseOutputs: 1024,
    licenseSrt: 1536,
    licenseDevices: 5000,
    variant: 'standard',
    features: 4,
    adminPassword: '',
    logLevel: 'info',
    engine: 'hub',
    helperSocket: '/run/signalbox/helper.sock',
    ffmpeg: 'ffmpeg',
    timeDivisor: 1,
  });
});

test('a variable replaces its default, an empty one does not', () => {
  const config = readConfig({ SIGNALBOX_HTTP_PORT: '9000', SIGNALBOX_HTTPS_PORT: '9443', SIGNALBOX_RTMP_PORT: '' });
  expect([config.httpPort, config.httpsPort, config.rtmpPort]).toEqual([9000, 9443, 1935]);
});

test('HTTPS is on unless it is switched off', () => {
  expect(readConfig({ SIGNALBOX_HTTPS_PORT: 'off' }).httpsPort).toBeNull();
  expect(readConfig({ SIGNALBOX_HTTPS_PORT: '' }).httpsPort).toBe(8443);
});

test('every port variable accepts 0 for any free port', () => {
  const ports = Object.values(variables).filter(({ name }) => name.endsWith('_PORT'));
  expect(ports).toHaveLength(7);
  for (const { name, read } of ports) {
    const any = name === 'SIGNALBOX_CONSOLE_PORT' ? Array(8).fill(0) : 0;
    expect<unknown>(read('0')).toEqual({ value: any });
  }
});

const broken: [string, string][] = [
  ['SIGNALBOX_HLS_PORT', '-1'],
  ['SIGNALBOX_HTTP_PORT', '65536'],
  ['SIGNALBOX_RTMP_PORT', '80a'],
  ['SIGNALBOX_HTTPS_PORT', '-1'],
  ['SIGNALBOX_SRT_PORT', '8e3'],
  ['SIGNALBOX_CONSOLE_PORT', '8072-8071'],
  ['SIGNALBOX_CONSOLE_PORT', '0-8'],
  ['SIGNALBOX_CONSOLE_PORT', '8071-8200'],
  ['SIGNALBOX_BIND', 'localhost'],
  ['SIGNALBOX_LOG', 'loud'],
  ['SIGNALBOX_HOSTS', 'hub.example,no name'],
  ['SIGNALBOX_TRUSTED_PROXIES', '10.0.0.1,proxy.lan'],
  ['SIGNALBOX_TRUSTED_PROXIES', '0.0.0.0/0'],
  ['SIGNALBOX_LICENSE_CHANNELS', '257'],
  ['SIGNALBOX_LICENSE_SRT', '-1'],
  ['SIGNALBOX_VARIANT', 'cloud'],
  ['SIGNALBOX_FEATURES', 'ndi-router,more'],
  ['SIGNALBOX_TIME_DIVISOR', '0'],
  ['SIGNALBOX_TIME_DIVISOR', '21'],
  ['SIGNALBOX_TIME_DIVISOR', '0.5'],
];
for (const [name, value] of broken) {
  test(`${name}=${value} is refused with its name, value and rule`, () => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} is "${value}": \\w+`));
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  });
}

test('an unusable password is refused without showing it', () => {
  const read = () => readConfig({ SIGNALBOX_ADMIN_PASSWORD: ' outer space' });
  expect(read).toThrow(/^SIGNALBOX_ADMIN_PASSWORD: 10 to 128/);
  expect(read).not.toThrow(/outer space/);
});

test('an unknown variable is reported, one that belongs to tests is not', () => {
  const env = { SIGNALBOX_LOG: 'info', SIGNALBOX_LICENSES: '4', SIGNALBOX_TEST_DISK: 'x', HOME: '/root' };
  expect(unknownVariables(env)).toEqual(['SIGNALBOX_LICENSES']);
});

test('the help lists every variable with its default', () => {
  const help = describeVariables();
  for (const { name, fallback } of Object.values(variables)) {
    expect(help).toMatch(new RegExp(`${name} +${fallback.replaceAll('.', '\\.')} `));
  }
});
