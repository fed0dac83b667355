import { capabilitiesOf, familyOf } from '../../contract/device-catalog.ts';
import { regStates } from '../../contract/device-states.ts';
import type { FirmwareProduct } from '../../contract/firmware.ts';
import type { OwnDevice } from './inventory.ts';

/** The products of the accepted devices among these whose firmware can be upgraded, in order of their ids. */
export function productsOf(devices: Iterable<OwnDevice>): FirmwareProduct[] {
  const found = new Map<number, FirmwareProduct & { readonly letters: Set<string> }>();
  for (const { row } of devices) {
    const { module, productId, model, api, hardwareVersion } = row;
    if (row.regState !== regStates.accepted || productId === 0) continue;
    if (!capabilitiesOf({ family: familyOf(module), productId, model, api }).upgrade) continue;
    const one = found.get(productId) ?? {
      ...{ 'product-id': productId, name: model, module, 'hardware-ver': [], letters: new Set<string>() },
    };
    if (hardwareVersion !== '') one.letters.add(hardwareVersion);
    found.set(productId, one);
  }
  return [...found.values()]
    .map(({ letters, ...one }) => ({ ...one, 'hardware-ver': [...letters].toSorted() }))
    .toSorted((a, b) => a['product-id'] - b['product-id']);
}
