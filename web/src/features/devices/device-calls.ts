import { queryOptions } from '@tanstack/react-query';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

// Lists follow the event stream; what is loaded here is the page of one device and the channels that it feeds.
export const acceptDevices = changing(deviceApi.accept, 'devices');
export const rejectDevices = changing(deviceApi.reject, 'devices');
export const deleteDevices = changing(deviceApi.del, 'devices', 'channels');
export const favorDevices = changing(deviceApi.favorite, 'devices');
export const moveDevices = changing(deviceApi.move, 'devices');
export const changeDevice = changing(deviceApi.set, 'devices');
export const addDevices = changing(deviceApi.add, 'devices');
export const setDeviceSecurity = changing(deviceApi.setSecurity, 'devices');
export const configureDevices = changing(deviceApi.config, 'devices');
export const revealPushKey = changing(deviceApi.revealKey);
export const renewPushKey = changing(deviceApi.renewKey, 'devices');
export const changeGlobal = changing(deviceApi.setGlobal, 'devices', 'device-groups');

/** What applies to all devices that have nothing of their own. */
export const globalQuery = queryOptions({
  queryKey: ['devices', 'global'],
  queryFn: ({ signal }) => call(deviceApi.getGlobal, { signal }),
});
