/** The sections of an import outside of the database: parts of one change, which is undone unless it is confirmed. */
import { isIP } from 'node:net';
import type { ConfirmedChanges } from '../../appliance/confirmed-change/confirmed-changes.ts';
import type { Part } from '../../appliance/confirmed-change/several-parts.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import type { Actor } from '../../http/route.ts';
import type { After, Item, OpenArea, Section, SystemArea } from '../../settings-sections/section.ts';
import type { Database } from '../../store/database.ts';
import type { PlannedSection } from './plan.ts';

/** Dependencies that only an appliance has. */
export interface SystemSettings {
  readonly areas: () => Promise<readonly SystemArea[]>;
  readonly changes: () => Promise<ConfirmedChanges>;
}

export interface OpenedAreas {
  readonly areas: readonly (SystemArea & { readonly opened: OpenArea })[];
  readonly sections: readonly Section[];
  /** Names of the sections that cannot be read because a part of the system is missing. */
  readonly missing: readonly string[];
}

export const noAreas: OpenedAreas = { areas: [], sections: [], missing: [] };

/** Reads the areas that have one of the sections. */
export async function openAreas(
  areas: readonly SystemArea[],
  isWanted: (section: string) => boolean,
): Promise<OpenedAreas> {
  let all = noAreas;
  for (const area of areas.filter(({ names }) => names.some(isWanted))) {
    try {
      const opened = await area.open();
      const sections = opened.sections.filter(({ name }) => isWanted(name));
      all = { ...all, areas: [...all.areas, { ...area, opened }], sections: [...all.sections, ...sections] };
    } catch (error) {
      if (!(error instanceof MissingPart)) throw error;
      all = { ...all, missing: [...all.missing, ...area.names.filter(isWanted)] };
    }
  }
  return all;
}

export interface SystemPlan {
  readonly parts: readonly Part[];
  readonly isRisky: boolean;
  readonly addresses: readonly string[];
}

/** Throws HubError for settings that the machine cannot have. */
export function planParts(
  { areas }: OpenedAreas,
  planned: readonly PlannedSection[],
  { actor, db }: { readonly actor: Actor; readonly db: Database },
): SystemPlan {
  const by = { user: actor.name, address: isIP(actor.ip) === 0 ? '' : actor.ip };
  return areas.reduce<SystemPlan>(
    (plan, { part, opened }) => {
      const after = afterOf(opened.sections, planned, db);
      if (after.size === 0) return plan;
      const { change, addresses } = opened.changeTo(after, by);
      return {
        parts: [...plan.parts, { part, change }],
        isRisky: plan.isRisky || opened.sections.some(({ name, effect }) => effect === 'confirm' && after.has(name)),
        addresses: [...plan.addresses, ...addresses],
      };
    },
    { parts: [], isRisky: false, addresses: [] },
  );
}

/** The objects of those sections that change. */
function afterOf(sections: readonly Section[], planned: readonly PlannedSection[], db: Database): After {
  return new Map(
    sections.flatMap((section): [string, Item[]][] => {
      const plan = planned.find(({ name }) => name === section.name);
      if (plan === undefined || (plan.put.length === 0 && plan.removed.length === 0)) return [];
      const items = new Map([...section.read(db), ...plan.put].map((item) => [section.keyOf(item.value), item]));
      for (const key of plan.removed) items.delete(key);
      return [[section.name, [...items.values()]]];
    }),
  );
}
