import { deviceApi } from '../../api/calls.ts';
import { changing } from '../../api/query-client.ts';

// Lists follow the event stream; what is loaded here is the page of one device and the channels that it feeds.
export const acceptDevices = changing(deviceApi.accept, 'devices');
export const rejectDevices = changing(deviceApi.reject, 'devices');
export const deleteDevices = changing(deviceApi.del, 'devices', 'channels');
export const favorDevices = changing(deviceApi.favorite, 'devices');
export const moveDevices = changing(deviceApi.move, 'devices');
export const changeDevice = changing(deviceApi.set, 'devices');
export const addDevices = changing(deviceApi.add, 'devices');
export const connectDevice = changing(deviceApi.connect, 'devices', 'channels');
export const setDeviceSecurity = changing(deviceApi.setSecurity, 'devices');
