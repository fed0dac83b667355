import { queryOptions } from '@tanstack/react-query';
import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import type { Wifi } from '../../../../daemon/contract/wifi.ts';
import { wifiApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const key = ['wifi', 'state'] as const;
/** Adapters, networks and USB devices come and go by themselves. */
const everyMs = 3000;

export const wifiQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => call(wifiApi.get, { signal }),
  refetchInterval: everyMs,
});

/** The hub waits for the access point and its DHCP server, or for the radio. */
const slowMs = 75_000;

export async function scanWifi(): Promise<void> {
  const found = await call(wifiApi.scan, { body: {}, timeoutMs: slowMs });
  queryClient.setQueryData<Wifi>(key, found);
}

export async function joinWifi(body: BodyInput<typeof wifiApi.join>) {
  const answer = await call(wifiApi.join, { body, timeoutMs: slowMs });
  lookAgain();
  return answer;
}

export async function forgetWifi(body: BodyInput<typeof wifiApi.forget>) {
  const answer = await call(wifiApi.forget, { body });
  lookAgain();
  return answer;
}

/** Not waited for: the change may cut the connection. */
function lookAgain(): void {
  void queryClient.invalidateQueries({ queryKey: key });
}
