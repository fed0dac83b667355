/** How inputs and outputs are called. */
import type { NdiInput, NdiOutput } from '../../../../daemon/contract/ndi-router.ts';

export function inputText({ id, label, source }: Pick<NdiInput, 'id' | 'label' | 'source'>): string {
  return label || source || String(id);
}

export function outputText({ label, name }: Pick<NdiOutput, 'label' | 'name'>): string {
  return label || name;
}

/** For the head of a column, which has little room: a source without a label by its part in brackets. */
export function shortInputText(input: Pick<NdiInput, 'id' | 'label' | 'source'>): string {
  return input.label || (/\((.+)\)$/.exec(input.source ?? '')?.[1] ?? inputText(input));
}
