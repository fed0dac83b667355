import { NdiAddress } from '../../../../../daemon/contract/ndi.ts';
import { ndiFields, ndiOf, ndiValues } from '../ndi-form.ts';
import { heldFields } from './input-options.ts';
import type { ProtocolForm } from './protocol-form.ts';

export const ndiForm: ProtocolForm = {
  read: ({ ndi }) => (ndi === undefined ? {} : ndiValues(ndi)),
  write: (values) => ({ type: 1, ndi: ndiOf(values) }),
  schema: NdiAddress,
  ruled: ndiOf,
  fields: { ...heldFields, ...ndiFields },
  preview: ({ ndiName }) => (ndiName.trim() === '' ? undefined : `ndi://${ndiName.trim()}`),
};
