import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { FirewallRule } from '../../../../daemon/contract/firewall.ts';
import { PortRange } from '../../../../daemon/contract/firewall-fields.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { followTrial } from '../../shared/confirmed-change/follow-trial.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { addRule, changeRule, onTrial } from './firewall-calls.ts';
import { protocolTexts } from './firewall-text.ts';

export interface RuleValues {
  readonly port: string;
  /** As text, as the select has it. */
  readonly protocol: string;
  readonly remark: string;
  readonly enabled: boolean;
}

interface RuleDialogProps {
  /** Undefined for a new one. */
  readonly rule: FirewallRule | undefined;
  readonly onClose: () => void;
}

export default function RuleDialog({ rule, onClose }: RuleDialogProps) {
  const { t } = useLingui();
  const fields = useSchemaForm<RuleValues>({
    initial: {
      ...{ port: rule?.port ?? '', protocol: String(rule?.protocol ?? 0) },
      ...{ remark: rule?.remark ?? '', enabled: rule?.enabled ?? true },
    },
    check: ({ port }) => faultAt('port', PortRange, port.trim()),
  });
  const { form } = fields;
  const save = async (values: RuleValues) => {
    const body = { ...values, port: values.port.trim(), protocol: Number(values.protocol), ...onTrial };
    const answer = await (rule === undefined
      ? addRule(body)
      : changeRule({ id: rule.id, revision: rule.revision, ...body }));
    const { port } = body;
    if (followTrial('firewall', { ...answer, addresses: [] })) showToast('success', t`The rule for ${port} was saved.`);
  };
  return (
    <FormDialog
      title={rule === undefined ? t`Add rule` : t`Edit the rule for ${rule.port}`}
      fields={fields}
      save={save}
      verb={rule === undefined ? <Trans>Add rule</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput
        label={t`Port or range`}
        placeholder="5000-5010"
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('port')}
      />
      <NativeSelect
        label={t`Protocol`}
        data={Object.entries(protocolTexts).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('protocol')}
      />
      <TextInput
        label={t`Remark`}
        maxLength={limits.firewall.remark}
        autoComplete="off"
        {...form.getInputProps('remark')}
      />
      <Checkbox label={t`Enabled`} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
