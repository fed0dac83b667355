/** Calls about active alarms; the event stream delivers what they change. */
import { alarmApi } from '../../api/calls.ts';
import { changing } from '../../api/query-client.ts';

export const acknowledgeAlarms = changing(alarmApi.acknowledge);
export const muteAlarms = changing(alarmApi.mute);
export const unmuteAlarms = changing(alarmApi.unmute);
