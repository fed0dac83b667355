/** Display names of inputs and outputs. */
import type { NdiInput, NdiOutput } from '../../../../daemon/contract/ndi-router.ts';

export function inputText({ id, label, source }: Pick<NdiInput, 'id' | 'label' | 'source'>): string {
  return label || source || String(id);
}

export function outputText({ label, name }: Pick<NdiOutput, 'label' | 'name'>): string {
  return label || name;
}

/** The short name for a column header: for a source without a label, the part of its name in parentheses. */
export function shortInputText(input: Pick<NdiInput, 'id' | 'label' | 'source'>): string {
  return input.label || (/\((.+)\)$/.exec(input.source ?? '')?.[1] ?? inputText(input));
}
