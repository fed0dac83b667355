/** NTP, time zone and host name of an appliance. Settings that a file leaves out do not change. */
import * as z from 'zod/mini';
import type { TimeSettingsChange } from '../../appliance/time/change.ts';
import type { TimePort } from '../../appliance/time/port.ts';
import { HostName, ntpFields, ZoneName } from '../../contract/time-fields.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { defineSection, type Item, type SystemArea } from '../section.ts';

const TimeItem = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('ntp'), ...ntpFields }),
  z.strictObject({ name: z.literal('zone'), zone: ZoneName }),
  z.strictObject({ name: z.literal('host-name'), 'host-name': HostName }),
]);
type TimeItem = z.infer<typeof TimeItem>;

const name = 'time';

export function timeArea(time: TimePort): SystemArea {
  return {
    ...{ part: 'time', names: [name] },
    async open() {
      const [ntp, zone, zones, hostName] = await Promise.all([time.ntp(), time.zone(), time.zones(), time.hostName()]);
      const now: TimeItem[] = [
        { name: 'ntp', enable: ntp.enabled, servers: [...ntp.servers] },
        { name: 'zone', zone },
        { name: 'host-name', 'host-name': hostName },
      ];
      const section = defineSection<TimeItem>({
        ...{ name, effect: 'now', limit: now.length, schema: TimeItem, keyOf: (item) => item.name },
        read: () => now.map((value) => ({ value, secret: {} })),
        check({ value }) {
          if (value.name === 'ntp' && value.enable && value.servers.length === 0) {
            throw fieldError('servers', 'required', 'NTP that is on needs a server');
          }
          if (value.name === 'zone' && !zones.includes(value.zone)) {
            throw fieldError('zone', 'exists', 'the system has no such time zone');
          }
        },
        edited: () => ({ noun: 'settings', id: name }),
      });
      return {
        sections: [section],
        changeTo(after, by) {
          const items = (after.get(name) ?? []) as readonly Item<TimeItem>[];
          const change: TimeSettingsChange = Object.assign({ by }, ...items.map(({ value }) => asChange(value)));
          return { change, addresses: [] };
        },
      };
    },
  };
}

function asChange(item: TimeItem): Omit<TimeSettingsChange, 'by'> {
  switch (item.name) {
    case 'ntp':
      return { ntp: { enabled: item.enable, servers: item.servers } };
    case 'zone':
      return { zone: item.zone };
    case 'host-name':
      return { hostName: item['host-name'] };
  }
}
