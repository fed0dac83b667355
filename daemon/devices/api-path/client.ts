/** The API of IP to USB, IP decoders, audio converters and Modator: one path per call below `/api`, codes in `status`. */

import { pathForm, type QueryApi } from '../query-session.ts';
import { statusCodes } from '../status-codes.ts';

export const apiPath: QueryApi = {
  path: '/api',
  form: pathForm,
  ...statusCodes,
  /** "Does not exist": the user. */
  wrongLogin: [16],
};
