import { describe } from 'bun:test';
import { describeNet } from './contract-for-test.ts';
import { createNetDouble, doubleHardware } from './double-for-test.ts';

describe('the double of the network', () => {
  describeNet(async () => {
    const double = createNetDouble();
    double.take('192.0.2.9');
    return {
      ...{ port: double.port, hardware: doubleHardware, free: ['192.0.2.10', '192.0.2.66'], taken: '192.0.2.9' },
      ...{ other: '198.51.100.10', setCable: double.setCable },
      setDhcp: async (answers) => double.setDhcp('eth1', answers),
      stop: async () => double.stop(),
      start: async () => double.start(),
      close: async () => {},
    };
  });
});
