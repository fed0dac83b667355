import { addTexts } from '../../i18n/i18n.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';

/** For the pages of every hub: its texts are those of appliances, which other hubs load only with it. */
export const RiskDialog = deferredPart(async () => {
  const [dialog] = await Promise.all([import('./RiskDialog.tsx'), addTexts('appliance')]);
  return dialog;
});
