/** What the console's form asks for a firmware file, too. */
import * as z from 'zod/mini';
import { versionForm } from './firmware-names.ts';
import { whole } from './rules.ts';

export const ProductId = whole({ min: 1, max: 65_535 });
/** A letter. */
export const HardwareVersion = z.string().check(z.minLength(1, 'required'), z.regex(/^[A-Za-z]$/, 'hardwareVersion'));
/** Two to four numbers, separated by dots. */
export const FirmwareVersion = z.string().check(z.minLength(1, 'required'), z.regex(versionForm, 'version'));
