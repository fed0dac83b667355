/** The call that tells devices to act. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { deviceActions } from './device-actions.ts';
import { DeviceSns, NewDeviceName } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { inWords } from './rules.ts';

export const DeviceActionParams = z.object({
  /** Of `rename`. */
  name: z.optional(
    NewDeviceName.check(inWords('With several devices, each run of # becomes their number, such as 07 for ##.')),
  ),
});
export type DeviceActionParams = z.infer<typeof DeviceActionParams>;

const hasCounter = (params: DeviceActionParams | undefined) => params?.name === undefined || params.name.includes('#');

export const deviceActionApi = endpoints(calls.deviceActions, {
  act: {
    summary:
      'Tell devices to act. A list of serial numbers starts a task with a result per device; a single one is answered when the device has done it.',
    needs: 'devices',
    body: z
      .object({
        sn: DeviceSns,
        action: z.enum(deviceActions, 'choice'),
        params: z.optional(DeviceActionParams),
      })
      .check(
        z.refine(({ action, params }) => action !== 'rename' || params?.name !== undefined, {
          path: ['params', 'name'],
          error: 'required',
        }),
        z.refine(
          ({ sn, action, params }) => action !== 'rename' || !Array.isArray(sn) || sn.length < 2 || hasCounter(params),
          {
            path: ['params', 'name'],
            error: 'counter',
          },
        ),
        inWords('`rename` needs `params.name`, with # in it for more than one device.'),
      ),
    response: z.object({
      /** Id of the task; absent with a single serial number. */
      task: z.optional(z.int()),
    }),
  },
});
