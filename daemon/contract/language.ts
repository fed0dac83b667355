import * as z from 'zod/mini';

/** Of the console where nobody has chosen one; `auto`: the browser's. */
export const Language = z.enum(['auto', 'en', 'zh'], 'choice');
export type Language = z.infer<typeof Language>;
