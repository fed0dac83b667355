/** Parts of the channel page for hubs with devices, which are loaded with their texts. */
import { addTexts } from '../../../i18n/i18n.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';

export const ChannelDecoders = deferredPart(async () => {
  const [part] = await Promise.all([import('./ChannelDecoders.tsx'), addTexts('devices')]);
  return part;
});

export const DeviceChoiceDialog = deferredPart(async () => {
  const [part] = await Promise.all([import('./DeviceChoiceDialog.tsx'), addTexts('devices')]);
  return part;
});
