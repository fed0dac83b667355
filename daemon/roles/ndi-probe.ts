/** Loads the NDI library once, to see whether it can be used. */
import { libraryRole } from './library-role.ts';

export const role = libraryRole('ndi-probe', 'The hub starts it by itself before it uses a file.');
