/**
 * Many devices in one process. Arguments: address of the hub's link, first serial number, number of devices, devices per
 * second, what they state as JSON, and how long
 * they wait at most before each attempt, as a control. Prints the number of attempts and of accepted devices every quarter of a second.
 */

import { dialLink } from '../../../daemon/link/dial.ts';
import { createIdentity } from '../../../daemon/link/identity.ts';
import { shippedTiming } from '../../../daemon/shipped-timing.ts';

const [url = '', first = '0', count = '0', perSecond = '100', details = '{}', retryMs] = process.argv.slice(2);
const { link } = shippedTiming;
const timing = retryMs === undefined ? link : { ...link, firstRetryMs: Number(retryMs), lastRetryMs: Number(retryMs) };
const reportMs = 250;
let attempts = 0;
const accepted = new Set<number>();

setInterval(() => console.log(JSON.stringify({ attempts, accepted: accepted.size })), reportMs);
for (let at = 0; at < Number(count); at++) {
  const number = Number(first) + at;
  void dialLink({
    url,
    identity: createIdentity(),
    claim: () => ({ role: 'device', serial: `SN${number}`, details: JSON.parse(details) }),
    hubKey: undefined,
    allowsPort: () => false,
    timing,
    onState({ name }) {
      if (name === 'connecting') attempts += 1;
      if (name === 'accepted') accepted.add(number);
      else accepted.delete(number);
    },
    signal: new AbortController().signal,
  });
  await Bun.sleep(1000 / Number(perSecond));
}
