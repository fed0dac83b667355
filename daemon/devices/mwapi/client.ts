/** The API of Pro Convert encoders and of the first generation of decoders: `/mwapi?method=NAME`, codes in `status`. */
import type { QueryApi } from '../query-session.ts';
import { statusCodes } from '../status-codes.ts';

export const mwapi: QueryApi = { path: '/mwapi', ...statusCodes };
