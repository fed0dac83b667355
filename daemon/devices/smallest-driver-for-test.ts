/** The smallest driver: `docs/drivers.md` shows this file. Its device answers `GET /state` with one JSON object. */
import { Answer } from './answer.ts';
import type { DeviceSession, Driver, Transport } from './driver.ts';
import { DeviceProblem } from './problem.ts';

const limits = { timeoutMs: 5000, maxBytes: 64 * 1024 };

export const smallestDriver: Driver = {
  api: 'stream',
  async recognizes(transport, signal) {
    const { status, body } = await transport.request({ path: '/state', ...limits }, signal);
    return status === 200 && Answer.parse(body)?.text('serial') !== undefined;
  },
  open: (transport) => openSession(transport),
};

function openSession(transport: Transport): DeviceSession {
  async function read(signal: AbortSignal) {
    const { body } = await transport.request({ path: '/state', ...limits }, signal);
    const state = Answer.parse(body);
    const sn = state?.text('serial');
    if (state === undefined || sn === undefined) throw new DeviceProblem('invalidAnswer', 'the state has no serial');
    const identity = {
      sn,
      name: state.text('name') ?? sn,
      api: 'stream',
      'product-id': 0,
      model: state.text('model') ?? '',
      'hardware-ver': '',
      'firmware-ver': state.text('version') ?? '',
    } as const;
    return { state, identity };
  }

  return {
    identify: async (signal) => (await read(signal)).identity,
    async poll(signal) {
      const { state, identity } = await read(signal);
      const isPresent = state.flag('signal');
      return {
        identity,
        cpu: state.number('cpu'),
        signal: isPresent === undefined ? undefined : { state: isPresent ? 'present' : 'none' },
        streams: [],
        disks: [],
        warnings: isPresent === false ? ['noSignal'] : [],
        tasks: [],
      };
    },
    close: async () => {},
  };
}
