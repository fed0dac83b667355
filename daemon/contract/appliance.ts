/** What calls of the appliance have in common. */
import * as z from 'zod/mini';
import { applianceParts, partFaults } from './appliance-parts.ts';

/** What cannot be read or changed now, because a part of the operating system is missing. Empty if nothing is. */
export const Missing = z.array(z.object({ part: z.enum(applianceParts), fault: z.enum(partFaults) }));
export type Missing = z.infer<typeof Missing>;
