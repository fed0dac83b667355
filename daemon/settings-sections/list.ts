/**
 * Every section of the settings file, in the order in which they are stored: each refers to those before it, or links
 * afterwards.
 */
import { actSections } from './acts.ts';
import { addressSections } from './addresses.ts';
import { channelSections } from './channels.ts';
import { deviceSections } from './devices.ts';
import { hubSettingsSection, storedSettingsSection } from './hub-settings.ts';
import { peopleSections } from './people.ts';
import type { Section, SectionContext } from './section.ts';

export const ofRunningHub = (context: SectionContext, settings: Parameters<typeof hubSettingsSection>[0]): Section[] =>
  listSections(context, hubSettingsSection(settings));

/** Before the hub is composed: for storing only. */
export const ofStartingHub = (context: SectionContext): Section[] => listSections(context, storedSettingsSection());

function listSections(context: SectionContext, hubSettings: Section): Section[] {
  return [
    hubSettings,
    ...peopleSections(context),
    ...deviceSections(context),
    ...addressSections(context),
    ...channelSections(context),
    ...actSections(context),
  ];
}
