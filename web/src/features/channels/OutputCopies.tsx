import { Plural, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';
import { outputsQuery } from '../../shared/outputs/output-calls.ts';
import { outputsOf } from './copy-outputs.ts';

interface OutputCopiesProps {
  /** Id of the channel that is copied. */
  readonly of: number;
  readonly isWanted: boolean;
  readonly onChange: (isWanted: boolean) => void;
}

/** Offers to copy the outputs of a channel as well; renders nothing if it has none. */
export function OutputCopies({ of, isWanted, onChange }: OutputCopiesProps) {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const outputs = useQuery({ ...outputsQuery, enabled: mayEdit }).data ?? [];
  const count = outputsOf(of, outputs).length;
  if (count === 0) return null;
  return (
    <Checkbox
      label={<Plural value={count} one="Also its output" other="Also its # outputs" />}
      description={t`The copies do not send until you start them.`}
      checked={isWanted}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
