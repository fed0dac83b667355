import { expect, test } from 'bun:test';
import { points, type WifiWorld, wifiCases } from './contract-for-test.ts';
import { createWifiDouble } from './double-for-test.ts';
import { WifiFault } from './port.ts';

const around = Object.entries(points).map(([name, point]) => ({
  ...{ ssid: point.ssid, security: point.security, strength: 70, frequency: 2412 },
  ...(point.key !== undefined && { key: point.key }),
  ...{ isHidden: name === 'hidden', isMute: name === 'mute' },
}));

const double = createWifiDouble(around);
const world: WifiWorld = {
  port: double.port,
  shortTrial: 0.05,
  reach: async (ssid, isInRange) => double.place(around.filter((point) => isInRange || point.ssid !== ssid)),
};

for (const { name, run } of wifiCases) test(name, () => run(world));

test('without an adapter nothing is scanned or joined', async () => {
  const bare = createWifiDouble();
  bare.plug(false);
  expect((await bare.port.read()).state).toBe('none');
  expect(bare.port.scan()).rejects.toBeInstanceOf(WifiFault);
});
