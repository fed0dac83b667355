import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { NdiInput, NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { inputText, outputText } from '../router-text.ts';
import type { Axis } from './axis.ts';
import type { Place } from './grid-moves.ts';
import type { Mark } from './marks.ts';

export const markTexts: Readonly<Record<Mark, MessageDescriptor>> = {
  sent: msg`Routed`,
  standIn: msg`Backup source`,
  lost: msg`Routed, source offline`,
  due: msg`Not in effect yet`,
  leaving: msg`Still sent`,
  staged: msg`Prepared`,
  asked: msg`Switching`,
};

interface PlaceTextOptions {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly inputs: ReadonlyMap<number, NdiInput>;
  readonly outputs: ReadonlyMap<number, NdiOutput>;
}

/** Returns the screen reader text of a crosspoint: source, output and mark. */
export function usePlaceText({ rows, columns, inputs, outputs }: PlaceTextOptions) {
  const { t, i18n } = useLingui();
  return ({ row, column }: Place, mark: Mark | undefined): string => {
    const [across, down] = [rows.lines[row], columns.lines[column]];
    const output = across?.kind === 'item' ? outputs.get(across.id) : undefined;
    if (output === undefined || down === undefined) return '';
    const input = down.kind === 'item' ? inputs.get(down.id) : undefined;
    const source = down.kind === 'group' ? down.group.name : input === undefined ? t`None` : inputText(input);
    const name = outputText(output);
    const state = mark === undefined ? t`Not routed` : i18n._(markTexts[mark]);
    return t`${source} to ${name}: ${state}`;
  };
}
