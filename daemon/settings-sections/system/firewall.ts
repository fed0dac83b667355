/** The firewall of an appliance: its mode, and its rules by what they open. Rules that a file lacks are deleted. */
import * as z from 'zod/mini';
import { FirewallMode, FirewallRuleFields } from '../../contract/firewall-fields.ts';
import type { FirewallProtocolCode } from '../../contract/firewall-words.ts';
import { limits } from '../../contract/limits.ts';
import { type FirewallRules, labelOf, storedRules } from '../../features/firewall/rules.ts';
import { firewallEdit, nextRuleId } from '../../features/firewall/store.ts';
import type { Database } from '../../store/database.ts';
import { defineSection, type SystemArea } from '../section.ts';

const FirewallItem = z.union([
  z.strictObject({ name: z.literal('mode'), mode: FirewallMode }),
  z.strictObject(FirewallRuleFields),
]);
type FirewallItem = z.infer<typeof FirewallItem>;
type RuleItem = Exclude<FirewallItem, { name: 'mode' }>;

const name = 'firewall';

export function firewallArea(db: Database): SystemArea {
  return {
    ...{ part: 'firewall', names: [name] },
    async open() {
      const { mode, rules } = storedRules(db);
      // Rules that open the same for the same purpose are one rule.
      const now = new Map<string, FirewallItem>([['mode', { name: 'mode', mode }]]);
      for (const { port, protocol, remark, enabled } of rules) {
        const item = { port, protocol, remark, enabled };
        if (enabled || !now.has(keyOf(item))) now.set(keyOf(item), item);
      }
      const section = defineSection<FirewallItem>({
        ...{ name, effect: 'now', limit: limits.firewall.count + 1, schema: FirewallItem, keyOf },
        read: () => [...now.values()].map((value) => ({ value, secret: {} })),
        remove: () => {},
        keeps: (key) => key === 'mode',
        edited: () => firewallEdit,
      });
      return {
        sections: [section],
        changeTo(after, by) {
          const items = (after.get(name) ?? []).map(({ value }) => value as FirewallItem);
          const wanted = new Map(items.filter(isRule).map((item) => [keyOf(item), item]));
          const kept = rules.filter((rule) => {
            const item = wanted.get(keyOf(rule));
            return item?.enabled === rule.enabled && wanted.delete(keyOf(rule));
          });
          const firstId = nextRuleId(db);
          const added = [...wanted.values()].map((item, at) => ({ ...asRule(item), id: firstId + at, revision: 1 }));
          const nextMode = items.find((item) => !isRule(item)) as { mode: typeof mode } | undefined;
          const next: FirewallRules = { mode: nextMode?.mode ?? mode, rules: [...kept, ...added] };
          return { change: { next, asker: by }, addresses: [] };
        },
      };
    },
  };
}

const isRule = (item: FirewallItem): item is RuleItem => 'port' in item;

function asRule(item: RuleItem) {
  return { ...item, protocol: item.protocol as FirewallProtocolCode };
}

function keyOf(item: FirewallItem): string {
  if (!isRule(item)) return item.name;
  const label = labelOf(asRule(item));
  return item.remark === '' ? label : `${label} (${item.remark})`;
}
