import { addTexts } from '../../i18n/i18n.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';

/** For pages that every hub has: other hubs load the texts of appliances only together with the dialog. */
export const RiskDialog = deferredPart(async () => {
  const [dialog] = await Promise.all([import('./RiskDialog.tsx'), addTexts('appliance')]);
  return dialog;
});
