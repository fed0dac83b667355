import * as z from 'zod/mini';

/** Default language of the console; `auto` follows the browser. */
export const Language = z.enum(['auto', 'en', 'zh'], 'choice');
export type Language = z.infer<typeof Language>;
