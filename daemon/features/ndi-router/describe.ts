/** Changes of the router for the operation log. */
import type { OperationChange } from '../../contract/logs.ts';
import type { AuditEntry } from '../logs/audit.ts';
import { inputOf, type Matrix, type MatrixInput, type MatrixOutput } from './matrix.ts';
import { inputTitle, outputTitle } from './matrix-edit.ts';

const inputName = (matrix: Matrix, slot: number) => inputTitle(slot, inputOf(matrix, slot));

/** What caused a route, besides the user of the entry. */
export type Origin =
  | { readonly word: 'bySalvo'; readonly value: string }
  | { readonly word: 'byPanel' | 'byFailover' | 'byUndo' };

/** One entry for each output whose input or substitute differs. */
export function routeEntries(before: Matrix, after: Matrix, origin: Origin | undefined): AuditEntry[] {
  return [...after.outputs].flatMap(([id, output]) => {
    const was = before.outputs.get(id);
    const [from, to] = [was && (was.substitute ?? was.slot), output.substitute ?? output.slot];
    if (was === undefined || from === undefined || from === to) return [];
    const changes: OperationChange[] = [
      to === null ? { word: 'noNdiInput' } : { word: 'ndiInput', value: inputName(after, to) },
      ...(from === null ? [] : [{ word: 'fromNdiInput', value: inputName(before, from) } as const]),
      ...(origin ? [origin] : []),
    ];
    return [{ action: 'ndiRouter.route', subject: outputTitle(id, output), changes }];
  });
}

export function describeInput(before: MatrixInput, after: MatrixInput): OperationChange[] {
  const { label, source, group, address, failover } = after;
  return [
    ...(label === before.label ? [] : [{ word: 'label', value: label } as const]),
    ...(source === before.source
      ? []
      : [source === null ? { word: 'noNdiSource' as const } : said('ndiSource', source)]),
    ...(group === before.group ? [] : [said('ndiGroup', group)]),
    ...(address === before.address ? [] : [said('address', address)]),
    ...(failover === before.failover
      ? []
      : [failover === null ? { word: 'noFailoverInput' as const } : said('failoverInput', String(failover))]),
  ];
}

const said = (word: OperationChange['word'], value: string): OperationChange => ({ word, value });

type OutputPart = Pick<MatrixOutput, 'name' | 'label' | 'group' | 'failoverWhenLocked'>;

/** `before` is undefined for a new output, whose name is the subject. */
export function describeOutput(before: OutputPart | undefined, after: OutputPart): OperationChange[] {
  const was = before ?? { name: after.name, label: '', group: '', failoverWhenLocked: false };
  return [
    ...(after.name === was.name ? [] : [said('name', after.name)]),
    ...(after.label === was.label ? [] : [said('label', after.label)]),
    ...(after.group === was.group ? [] : [said('ndiGroup', after.group)]),
    ...(after.failoverWhenLocked === was.failoverWhenLocked
      ? []
      : [said('failoverWhenLocked', String(after.failoverWhenLocked))]),
  ];
}

export function describeRouter(before: Matrix, after: Matrix): OperationChange[] {
  const size = ({ inputCount, columns }: Matrix) => `${inputCount} × ${columns}`;
  return [
    ...(after.baseName === before.baseName ? [] : [said('baseName', after.baseName)]),
    ...(size(after) === size(before) ? [] : [said('matrixSize', size(after))]),
    ...(after.autoFill === before.autoFill ? [] : [said('autoFill', String(after.autoFill))]),
  ];
}
