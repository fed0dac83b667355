import { eq, sql } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { firewall, firewallRules } from '../../store/firewall-tables.ts';
import type { Edited } from '../../store/revisions.ts';

export type StoredRule = typeof firewallRules.$inferSelect;

const onlyRow = 1;
export const firewallEdit: Edited = { noun: 'firewall', id: onlyRow };
export const ruleEdit = (id: number): Edited => ({ noun: 'firewallRule', id });

export function readMode(db: Queries): number | undefined {
  return db.select().from(firewall).where(eq(firewall.id, onlyRow)).get()?.mode;
}

/** In order of creation. */
export function listRules(db: Queries): StoredRule[] {
  return db.select().from(firewallRules).orderBy(firewallRules.id).all();
}

/** The id of the next rule: it is known before the rule is stored. Ids of deleted rules are not used again. */
export function nextRuleId(db: Queries): number {
  const [row] = db.values<[number]>(sql`SELECT seq FROM sqlite_sequence WHERE name = 'firewall_rules'`);
  return (row?.[0] ?? 0) + 1;
}

/** Everything else is deleted. Revisions stay as they are. */
export function writeAll(
  tx: Queries,
  { mode, rules }: { readonly mode: number; readonly rules: readonly StoredRule[] },
): void {
  tx.update(firewall).set({ mode }).where(eq(firewall.id, onlyRow)).run();
  const before = new Map(listRules(tx).map((rule) => [rule.id, rule]));
  const kept = new Set(rules.map(({ id }) => id));
  for (const id of before.keys()) if (!kept.has(id)) tx.delete(firewallRules).where(eq(firewallRules.id, id)).run();
  for (const { revision, ...rule } of rules) {
    const known = before.get(rule.id);
    if (known === undefined) tx.insert(firewallRules).values(rule).run();
    else if (!Bun.deepEquals(known, { ...rule, revision: known.revision })) {
      tx.update(firewallRules).set(rule).where(eq(firewallRules.id, rule.id)).run();
    }
  }
}
