/** Groups of devices, called catalogs in the published API: a tree with at most five levels. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { DeviceGroupName, DeviceMasks, DeviceSn, SecurityChange } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { Ids, Natural, PageCount, Revised, Revision } from './rules.ts';

export const DeviceGroup = z.object({
  /** 0: the devices in no group. */
  id: z.int(),
  /** 0: top level. The nearest group that the caller may see. */
  'parent-id': z.int(),
  /** Empty for 0. */
  name: z.string(),
  /** 1 if the masks of the parent apply, at the top those of the hub; its own are kept for later. */
  'is-inherit': z.int(),
  ...DeviceMasks.shape,
  /** Milliseconds since 1970; 0 for 0. */
  'create-time': z.int(),
  revision: z.int(),
});
export type DeviceGroup = z.infer<typeof DeviceGroup>;

const Id = z.int('number');

export const deviceGroupApi = endpoints(calls.deviceGroups, {
  list: {
    summary: 'List the groups of devices, the newest first, and the devices in no group as id 0.',
    needs: 'devices',
    query: z.object({ start: z.optional(Natural), count: PageCount }),
    response: z.object({ total: z.int(), list: z.array(DeviceGroup) }),
  },
  add: {
    summary: 'Add a group of devices.',
    needs: 'devices',
    body: z
      .object({
        name: z.optional(DeviceGroupName),
        /** The same as `name`. */
        param: z.optional(DeviceGroupName),
        /** 0, the default: top level. */
        'parent-id': z.optional(Id),
        /** The same as `parent-id`. */
        id: z.optional(Id),
        security: z.optional(SecurityChange),
      })
      .check(
        z.refine(({ name, param }) => name !== undefined || param !== undefined, { path: ['name'], error: 'required' }),
        z.meta({ anyOf: [{ required: ['name'] }, { required: ['param'] }] }),
      ),
    response: z.object({ id: z.int() }),
  },
  set: {
    summary: 'Move devices into a group, and set who may see it. With id 0: out of all groups; what all inherit.',
    needs: 'devices',
    body: z.object({
      id: Id,
      /** Has to be the present one: a group stays where it is in the tree. */
      'parent-id': z.optional(Id),
      /** Serial numbers of devices that move into the group. */
      devices: z.optional(z.array(DeviceSn).check(z.maxLength(limits.devicesPerCall, 'tooLong'))),
      security: z.optional(SecurityChange),
      revision: Revision,
    }),
    shown: DeviceGroup,
    response: Revised,
  },
  rename: {
    summary: 'Rename a group of devices.',
    needs: 'devices',
    body: z.object({
      id: Id,
      /** The new name. */
      param: DeviceGroupName,
      revision: Revision,
    }),
    response: Revised,
  },
  del: {
    summary: 'Delete groups of devices. What is in them moves to the group above.',
    needs: 'devices',
    body: z.object({
      id: Ids,
      /** Also if there are devices or groups in it; 1005 without. */
      force: z.optional(z.boolean()),
    }),
  },
});
