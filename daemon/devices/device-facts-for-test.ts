import type { DeviceFacts } from '../contract/device-facts.ts';

/** Facts of an encoder that does nothing. */
export function factsOf(sn: string, further: Partial<DeviceFacts> = {}): DeviceFacts {
  return {
    identity: {
      ...{ sn, name: `Encoder ${sn}`, api: 'usapi' as const, model: 'Ultra Encode AIO' },
      ...{ 'product-id': 787, 'hardware-ver': 'B', 'firmware-ver': '2.4.288' },
    },
    ...{ streams: [], disks: [], warnings: [], tasks: [] },
    ...further,
  };
}
