import { queryOptions } from '@tanstack/react-query';
import type { FirewallRule } from '../../../../daemon/contract/firewall.ts';
import { defaultConfirmSeconds } from '../../../../daemon/contract/network-fields.ts';
import { firewallApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic } from '../../api/live.ts';
import { changing, queryClient } from '../../api/query-client.ts';

/** Kept current by the `firewall` topic. */
export const firewallQuery = queryOptions({
  queryKey: ['firewall'],
  queryFn: ({ signal }) => call(firewallApi.get, { signal }),
});

export const firewallTopic = defineTopic('firewall', (_kind, { changed: [firewall] }) => {
  if (firewall) queryClient.setQueryData(firewallQuery.queryKey, firewall);
});

/** Each change is undone if this page does not reach the hub afterwards. */
export const onTrial = { 'confirm-within': defaultConfirmSeconds };

export const setMode = changing(firewallApi.set, 'firewall');
export const addRule = changing(firewallApi.addRule, 'firewall');
export const changeRule = changing(firewallApi.setRule, 'firewall');
export const deleteRule = changing(firewallApi.delRule, 'firewall');

/** A rule in a table, whose rows have names. */
export type RuleRow = FirewallRule & { readonly name: string };

export const rowOf = (rule: FirewallRule): RuleRow => ({ ...rule, name: rule.port });
